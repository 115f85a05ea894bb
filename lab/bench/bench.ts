/** `npm run bench [rounds]` prints the median of each row and its ratio to the yardstick. */
import process from 'node:process';
import { formatTable, measureRows, readRounds } from './measure.ts';
import { ROWS } from './rows.ts';

const rounds = readRounds(process.argv[2]);

process.stdout.write(`${formatTable(await measureRows(ROWS, rounds)).join('\n')}\n`);
