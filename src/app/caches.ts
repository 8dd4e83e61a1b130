/**
 * Every query cache with its maximum number of entries. An entry is valid until one of its tables changes.
 * `docs/architecture.md` describes what each contains and saves.
 */
export const queryCacheSizes = {
  bindings: 5_000,
  brands: 200,
  'brand flows': 200,
  'brand locales': 200,
  'brand targets': 200,
  'client accounts': 1_000,
  clients: 1_000,
  counts: 500,
  flows: 1_000,
  settings: 1,
  'flow slugs': 1_000,
  'flow stages': 1_000,
  'notification rules': 1,
  'LDAP providers': 100,
  'RADIUS providers': 100,
  'offered sources': 1_000,
  'proxied hosts': 1,
  'published keys': 1_000,
  'service providers': 1_000,
  stages: 1_000,
  users: 2_000,
} as const;
