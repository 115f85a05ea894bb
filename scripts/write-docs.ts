/** Writes the generated tables of the documentation and the settings schema. `npm test` fails if they are outdated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { COMMAND_LIST } from '../src/core/commands/all-commands.ts';
import { replaceRoomTable } from '../test/architecture/rooms.ts';
import { renderCommandTable, replaceCommandTable } from './docs/command-table.ts';
import { replacePathTables } from './docs/path-tables.ts';
import { renderOperatorSchema, renderSettingsSchema, replaceSettingsTable } from './docs/settings.ts';

for (const page of ['../README.md', '../docs/commands.md']) {
  const file = new URL(page, import.meta.url);
  writeFileSync(file, replaceCommandTable(readFileSync(file, 'utf8'), renderCommandTable(COMMAND_LIST)));
}

const protectedFiles = new URL('../docs/protected-files.md', import.meta.url);
writeFileSync(protectedFiles, replacePathTables(readFileSync(protectedFiles, 'utf8')));

const configuration = new URL('../docs/configuration.md', import.meta.url);
writeFileSync(configuration, replaceSettingsTable(readFileSync(configuration, 'utf8')));
writeFileSync(new URL('../docs/countersign.schema.json', import.meta.url), renderSettingsSchema());
writeFileSync(new URL('../docs/countersign-operator.schema.json', import.meta.url), renderOperatorSchema());

const architecture = new URL('../docs/architecture.md', import.meta.url);
writeFileSync(architecture, replaceRoomTable(readFileSync(architecture, 'utf8')));
