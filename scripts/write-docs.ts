import { readFileSync, writeFileSync } from 'node:fs';
import { commandTable } from '../src/command/table.ts';
import { renderCommandTable, withCommandTable } from '../src/render/command-docs.ts';
import { settingsSchema, withSettingsTable } from '../src/settings/settings-docs.ts';

/** Writes the command table into every page that has it. `npm test` fails where this was forgotten. */
for (const page of ['../README.md', '../docs/commands.md']) {
  const file = new URL(page, import.meta.url);
  writeFileSync(file, withCommandTable(readFileSync(file, 'utf8'), renderCommandTable(commandTable)));
}

const configuration = new URL('../docs/configuration.md', import.meta.url);
writeFileSync(configuration, withSettingsTable(readFileSync(configuration, 'utf8')));
writeFileSync(new URL('../docs/countersign.schema.json', import.meta.url), settingsSchema());
