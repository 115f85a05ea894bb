import process from 'node:process';
import { listMissingMigrations, SCHEMA_VERSION } from '../../adapters/store/engine/migrate.ts';
import { withDatabase } from '../ask.ts';
import { defineCommand, OptionsError, runCommand } from '../options.ts';

const MIGRATE_COMMAND = defineCommand({
  name: 'countersign migrate',
  help: `Usage: countersign migrate --check

Says which migrations the next start of this version would run on the database, and changes nothing: a server migrates
by itself when it starts. Asks the running server, or the database that DATABASE_URL or DATA_DIR names.

  --check  only look
  --help   print this text

Exit code: 0 if nothing is to do, 1 if something would be migrated, 2 if the command could not begin or the database
belongs to a newer version.
`,
  options: { check: { type: 'boolean' } },
  read({ check }) {
    if (check !== true)
      throw new OptionsError('A server migrates its database when it starts; --check says what it would do.');
  },
});

/** Runs `countersign migrate`. Exit code: 0, 1 (something would be migrated), or 2 (could not begin). */
export function runMigrate(argv: readonly string[]): Promise<number> {
  const check = () =>
    withDatabase(
      MIGRATE_COMMAND.name,
      async (ask) => {
        const version = await ask('schema', null);
        const missing = listMissingMigrations(version);
        const found = `The database has schema version ${version}`;
        const plan = missing.map((name, index) => `  ${version + index + 1} ${name}\n`).join('');
        process.stdout.write(
          missing.length === 0
            ? `${found}: nothing is to migrate.\n`
            : `${found}, and the next start migrates it to ${SCHEMA_VERSION}:\n${plan}`,
        );
        return missing.length === 0 ? 0 : 1;
      },
      'any',
    );
  return runCommand(MIGRATE_COMMAND, argv, check);
}
