/** Writes the generated tables of the documentation and the settings schemas. `npm test` fails if they are outdated. */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { defineCommand, runCommand } from '../src/cli/options.ts';
import { COMMAND_LIST } from '../src/core/commands/all-commands.ts';
import { renderCommandTable, replaceCommandTable } from './docs/command-table.ts';
import { replacePathTables } from './docs/path-tables.ts';
import { renderOperatorSchema, renderSettingsSchema, replaceSettingsTable } from './docs/settings.ts';

const COMMAND = defineCommand({
  name: 'npm run docs',
  help: `Usage: npm run docs

Writes the parts of the documentation that come from the source: the tables of commands, settings and protected files,
and the JSON schemas of both settings files. npm test fails if one of them is outdated.

  --help  this text

Exit codes: 0 if everything was written, 2 for a wrong argument.
`,
  options: {},
  read: () => null,
});

function rewritePage(path: string, replaceTables: (page: string) => string): void {
  const file = new URL(`../${path}`, import.meta.url);
  writeFileSync(file, replaceTables(readFileSync(file, 'utf8')));
}

function writeDocs(): void {
  for (const path of ['README.md', 'docs/commands.md'])
    rewritePage(path, (page) => replaceCommandTable(page, renderCommandTable(COMMAND_LIST)));
  rewritePage('docs/protected-files.md', replacePathTables);
  rewritePage('docs/configuration.md', replaceSettingsTable);
  rewritePage('docs/countersign.schema.json', renderSettingsSchema);
  rewritePage('docs/countersign-operator.schema.json', renderOperatorSchema);
}

process.exitCode = await runCommand(COMMAND, process.argv.slice(2), () => {
  writeDocs();
  return 0;
});
