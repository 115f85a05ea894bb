import { formatTable, measureRows } from './measure.ts';
import { ROWS } from './rows.ts';

/** `npm run bench [rounds]`: every row's median on this machine, and its ratio to the yardstick in the same run. */
const DEFAULT_ROUNDS = 5;

const rounds = Number(process.argv[2] ?? DEFAULT_ROUNDS);

if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('the number of rounds must be 1 or more');

process.stdout.write(`${formatTable(await measureRows(ROWS, rounds)).join('\n')}\n`);
