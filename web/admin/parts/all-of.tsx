import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';

interface Props {
  /** The path of the list, with its query. */
  readonly from: string;
  readonly shown: number;
  readonly count: number;
}

/** Says that there are more than are shown, and leads to all of them. */
export function AllOf({ from, shown, count }: Props) {
  if (count <= shown) return null;
  const [path = '', query] = from.split('?', 2);
  const asked = new URLSearchParams(query);
  asked.delete('page_size');
  return (
    <p>
      <Link href={hrefOf(path, Object.fromEntries(asked))}>{t('All {count, number}', { count })}</Link>
    </p>
  );
}
