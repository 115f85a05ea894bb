import { readFileSync, writeFileSync } from 'node:fs';
import { commandTable } from '../src/command/table.ts';
import { renderCommandTable, withCommandTable } from '../src/render/command-docs.ts';

/** Writes the command table into every page that has it. `npm test` fails where this was forgotten. */
for (const page of ['../README.md', '../docs/commands.md']) {
  const file = new URL(page, import.meta.url);
  writeFileSync(file, withCommandTable(readFileSync(file, 'utf8'), renderCommandTable(commandTable)));
}
