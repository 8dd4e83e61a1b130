import { useInterface } from '../api/interface.ts';

/** Reminds somebody who acts as another person that they do. */
export function ActingBanner() {
  const { user, acting } = useInterface();
  if (!acting) return null;
  return (
    <div className="admin-acting" role="status">
      <p>
        You act as <strong>{user.name || user.username}</strong>, with their rights.
      </p>
      <a href="/if/user/">Stop on the account page</a>
    </div>
  );
}
