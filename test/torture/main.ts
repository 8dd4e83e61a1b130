import { parseArgs } from 'node:util';
import { postgresPlace, sqlitePlace } from './place.ts';
import { torture } from './run.ts';

const usage = `npm run torture -- [options]
Mixed load on several instances while instances and the database are killed. Every acknowledged write must be there in the end, every
decision must have been right, memory must not grow.
  --minutes N     how long (60)
  --seed N        decides who does what and what fails when (a new one each time)
  --instances N   on PostgreSQL (3)
  --people N      at work at the same time (8)
  --sqlite        instead: one instance on SQLite`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    instances: { type: 'string', default: '3' },
    people: { type: 'string', default: '8' },
    sqlite: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}

const seed = Number(values.seed);
console.log(`seed ${seed}`);
const place = await (values.sqlite ? sqlitePlace() : postgresPlace(Number(values.instances)));
const outcome = await torture(place, {
  seed,
  seconds: Number(values.minutes) * 60,
  people: Number(values.people),
  say: (line) => console.log(line),
});
await place.close();

const { wrongs, answered, unknown, decisions, faults, megabytes } = outcome;
console.log(JSON.stringify({ seed, answered, unknown, decisions, faults, megabytes }));
for (const wrong of wrongs) console.log(`WRONG: ${wrong}`);
const [before, after] = megabytes ?? [0, 0];
/** Garbage is collected when V8 sees fit, so that two moments differ by some. */
const hasGrown = after > before * 1.25 + 20;
if (hasGrown) console.log(`WRONG: memory has grown from ${before} to ${after} MB`);
process.exitCode = wrongs.length > 0 || hasGrown ? 1 : 0;
process.exit();
