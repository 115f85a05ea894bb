import { readFileSync, writeFileSync } from 'node:fs';
import { commandTable } from '../src/command/table.ts';
import { renderCommandTable, withCommandTable } from '../src/render/command-docs.ts';

/** Writes the command table into the README. `npm test` fails where this was forgotten. */
const readme = new URL('../README.md', import.meta.url);
writeFileSync(readme, withCommandTable(readFileSync(readme, 'utf8'), renderCommandTable(commandTable)));
