import { apiFetch } from '../../api/call.ts';
import type { Permission } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { TextField } from '../../elements/field.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, useAddress } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import type { NamedObject, Row } from '../api/objects.ts';
import { Restored } from '../generic/restored.tsx';
import { useDraft } from '../generic/use-draft.ts';
import { kindName, permissionName } from '../labels.ts';
import { usualRoles } from './usual-roles.ts';

interface Props {
  readonly role: { readonly pk: string; readonly name: string };
  readonly all: readonly Permission[];
  readonly held: readonly Permission[];
  readonly may: NamedObject['may'];
  reload(): Promise<void>;
}

/** Ticks are kept as what they add and remove, so that they go with whatever others change meanwhile. */
const nothing: Row = { added: [], removed: [] };
const namesIn = (list: unknown): readonly string[] => (Array.isArray(list) ? list.map(String) : []);

/** Permissions that are about no objects. */
const systemModel = 'svc_rbac.systempermission';

const verbs = ['view', 'add', 'change', 'delete'] as const;
const verbNames = { view: 'View', add: 'Add', change: 'Change', delete: 'Delete' } as const;
const nameOf = ({ app_label, codename }: Permission): string => `${app_label}.${codename}`;

/** Models down, verbs across; what fits no column is in the last. Changes are saved together. */
export function RoleMatrix({ role, all, held, may, reload }: Props) {
  const before = new Set(held.map(nameOf));
  const canGive = may.includes('assign');
  const canTake = may.includes('unassign');
  const note = { kind: 'list', label: t('Permissions') };
  const draft = useDraft({
    form: `role ${role.pk}`,
    what: role.name,
    members: Object.keys(nothing).map((name) => ({ name, note })),
    initial: nothing,
    isNew: false,
  });
  const added = namesIn(draft.values.added).filter((name) => !before.has(name));
  const removed = namesIn(draft.values.removed).filter((name) => before.has(name));
  const chosen = before.union(new Set(added)).difference(new Set(removed));
  const { isBusy, problem, attempt } = useAttempt();
  const done = useToast();
  const { query } = useAddress();
  const { resources, user } = useInterface();
  // There are permissions for kinds of objects that this server does not have; superusers see all that it has.
  const existing = new Set([...resources.map(({ model }) => model), systemModel]);
  const text = (query.get('search') ?? '').toLowerCase();
  const models = [...Map.groupBy(all, ({ app_label, model }) => `${app_label}.${model}`)]
    .map(([model, permissions]) => ({
      model,
      title: kindName(permissions[0]?.model_verbose || model),
      permissions,
    }))
    .filter(
      ({ model, permissions }) =>
        !user.is_superuser || existing.has(model) || permissions.some((one) => before.has(nameOf(one))),
    )
    .filter(({ model, title }) => `${title} ${model}`.toLowerCase().includes(text))
    .toSorted((one, other) => one.title.localeCompare(other.title));
  function choose(next: ReadonlySet<string>): void {
    draft.set('added', [...next.difference(before)]);
    draft.set('removed', [...before.difference(next)]);
  }
  const givable = (names: readonly string[]): ReadonlySet<string> =>
    new Set(all.filter((one) => one.is_held && names.includes(nameOf(one))).map(nameOf));
  const save = () =>
    attempt(async () => {
      const path = `/rbac/permissions/assigned_by_roles/${role.pk}/`;
      if (added.length > 0) await apiFetch('POST', `${path}assign/`, { permissions: added });
      if (removed.length > 0) await apiFetch('PATCH', `${path}unassign/`, { permissions: removed });
      await reload();
      draft.finish(nothing, draft.values);
      done(t('{name} is saved.', { name: role.name }));
    });
  const box = (permission: Permission, label: string) => (
    <input
      type="checkbox"
      aria-label={label}
      checked={chosen.has(nameOf(permission))}
      disabled={before.has(nameOf(permission)) ? !canTake : !(canGive && permission.is_held)}
      onChange={() => choose(chosen.symmetricDifference(new Set([nameOf(permission)])))}
    />
  );
  return (
    <>
      {draft.isRestored && <Restored onDiscard={draft.discard} />}
      <div className="people-add">
        <TextField
          label={t('Search kinds of objects')}
          type="search"
          value={query.get('search') ?? ''}
          onChange={({ currentTarget }) => goTo(hereWith({ search: currentTarget.value || null }), { replace: true })}
        />
      </div>
      {canGive && (
        <div className="row">
          <span className="quiet">{t('Add the usual permissions for')}</span>
          {usualRoles.map(({ title, permissions }) => (
            <Button key={title} onClick={() => choose(chosen.union(givable(permissions)))}>
              {t(title)}
            </Button>
          ))}
        </div>
      )}
      {problem && <Notice tone="bad">{problem}</Notice>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll with the arrow keys */}
      <section className="table-frame" tabIndex={0} aria-label={t('Permissions')}>
        <table className="table matrix">
          <thead>
            <tr>
              <th scope="col">{t('Kind of object')}</th>
              {verbs.map((verb) => (
                <th key={verb} scope="col">
                  {t(verbNames[verb])}
                </th>
              ))}
              <th scope="col">{t('More')}</th>
            </tr>
          </thead>
          <tbody>
            {models.map(({ model, title, permissions }) => {
              const plain = (verb: string) =>
                permissions.find(({ codename }) => codename === `${verb}_${model.split('.')[1]}`);
              const others = permissions.filter((one) => !verbs.some((verb) => plain(verb) === one));
              return (
                <tr key={model}>
                  <th scope="row">{title}</th>
                  {verbs.map((verb) => {
                    const permission = plain(verb);
                    return (
                      <td key={verb}>
                        {permission && box(permission, t('{verb} {kind}', { verb: t(verbNames[verb]), kind: title }))}
                      </td>
                    );
                  })}
                  <td>
                    {others.map((permission) => (
                      <div key={permission.id} className="matrix-more">
                        {box(permission, permissionName(permission.name))}
                        <span className="small" aria-hidden="true">
                          {permissionName(permission.name)}
                        </span>
                      </div>
                    ))}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {(canGive || canTake) && (
        <div className="matrix-foot">
          <Button look="primary" isBusy={isBusy} onClick={save}>
            {t('Save')}
          </Button>
          <Button onClick={draft.discard}>{t('Undo')}</Button>
          <p role="status" className="quiet">
            {added.length + removed.length === 0
              ? t('No changes.')
              : t('{added, plural, one {# permission} other {# permissions}} more, {removed, number} fewer.', {
                  added: added.length,
                  removed: removed.length,
                })}
          </p>
        </div>
      )}
    </>
  );
}
