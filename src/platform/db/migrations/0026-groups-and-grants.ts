import type { Migration } from '../migrate.ts';
import { createJoin, createTable } from '../table.ts';

/**
 * Each group with itself and every group above it, because nearly every request asks which rights a group brings, and
 * groups rarely move. Triggers maintain the table, so that imports, a sync, an older instance and `psql` need not. Also
 * the keys under which the API shows global grants; grants on objects have keys in their own tables.
 */
export const groupsAndGrants: Migration = {
  name: '0026-groups-and-grants',
  statements: (dialect) => [
    ...createJoin(dialect, 'group_ancestors', ['group', 'uuid', 'groups'], ['ancestor', 'uuid', 'groups']),
    ...(dialect.name === 'sqlite' ? sqliteTriggers : postgresTriggers),
    // Last: the triggers lock the table, so that no instance adds a group which neither they nor this would see.
    fillAll,
    ...holders.flatMap(([holder, column]) =>
      createTable(
        dialect,
        `${holder}_permission_keys`,
        { pk: 'serial', [holder]: column, permission: 'int -> permissions cascade' },
        { unique: [[holder, 'permission']] },
      ),
    ),
    // LDAP clients look groups up by name.
    'create index "groups_name_lower" on "groups" (lower("name"))',
  ],
};

const holders = [
  ['user', 'int -> users cascade'],
  ['role', 'uuid -> roles cascade'],
] as const;

const fillAll = `insert into group_ancestors ("group", ancestor)
  with recursive above("group", ancestor) as (select pk, pk from groups
    union select a."group", g.parent from above a join groups g on g.pk = a.ancestor where g.parent is not null)
  select "group", ancestor from above`;

// SQLite allows no recursion in triggers, and none is needed: the table already holds the ancestors of the parent.
const below = 'select "group" from group_ancestors where ancestor = new.pk';
const sqliteTriggers = [
  // The last statement is for rows that were stored before their parent.
  `create trigger groups_insert_ancestors after insert on groups begin
    insert into group_ancestors values (new.pk, new.pk);
    insert into group_ancestors select new.pk, ancestor from group_ancestors where "group" = new.parent;
    insert or ignore into group_ancestors select d."group", a.ancestor from groups c
      join group_ancestors d on d.ancestor = c.pk join group_ancestors a on a."group" = new.pk where c.parent = new.pk;
  end`,
  `create trigger groups_refuse_circle before update of parent on groups when new.parent in (${below}) begin
    select raise(abort, 'a group cannot stand below itself');
  end`,
  `create trigger groups_move_ancestors after update of parent on groups when new.parent is not old.parent begin
    delete from group_ancestors where "group" in (${below}) and ancestor not in (${below});
    insert into group_ancestors select d."group", a.ancestor from group_ancestors d, group_ancestors a
      where d.ancestor = new.pk and a."group" = new.parent;
  end`,
];

// The lock: of two transactions that move a group and add one below it, neither sees the other's row.
const postgresTriggers = [
  `create function group_ancestors() returns trigger language plpgsql as $$
  declare below uuid[];
  begin
    if new.parent is not null or tg_op = 'UPDATE' then
      perform pg_advisory_xact_lock(hashtext('gatehouse parents of groups'));
    end if;
    with recursive found(pk) as (select new.pk union select g.pk from groups g join found f on g.parent = f.pk)
      select array_agg(pk) into below from found;
    delete from group_ancestors where "group" = any(below);
    insert into group_ancestors ("group", ancestor)
      with recursive above("group", ancestor) as (select pk, pk from unnest(below) as b(pk)
        union select a."group", g.parent from above a join groups g on g.pk = a.ancestor where g.parent is not null)
      select "group", ancestor from above;
    return null;
  end $$`,
  `create trigger groups_insert_ancestors after insert on groups for each row execute function group_ancestors()`,
  `create trigger groups_move_ancestors after update of parent on groups for each row
    when (new.parent is distinct from old.parent) execute function group_ancestors()`,
];
