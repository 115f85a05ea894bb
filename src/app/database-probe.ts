import { DatabaseError } from '../adapters/store/engine/errors.ts';
import {
  type DatabaseFacts,
  type DirectoryState,
  describeDirectory,
  describeServer,
} from '../adapters/store/engine/inspect.ts';
import type { Store } from '../adapters/store/store.ts';
import type { Config } from './config/env.ts';
import type { Finding, Probe } from './probes.ts';

const NAME = 'the database';

/** The database of a running server, into which a delivery must fit. */
export function createStoreProbe(store: Pick<Store, 'describe'>, checkStorage: () => Promise<void>): Probe {
  return {
    name: NAME,
    async run() {
      await checkStorage();
      return databaseFindings(await store.describe());
    },
  };
}

/** The configured database, of which this process knows nothing yet. A running server may use it. */
export function createDatabaseProbe({ url, dataDir }: Config['database']): Probe {
  return {
    name: NAME,
    async run() {
      try {
        if (url !== null) return databaseFindings(await describeServer(url));
        return [{ level: 'ok', message: DIRECTORY_MESSAGES[describeDirectory(dataDir)], fix: null, dataDir }];
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        return [{ level: 'wrong', message: 'the database cannot be used', fix: error.message }];
      }
    },
  };
}

const DIRECTORY_MESSAGES: Readonly<Record<DirectoryState, string>> = {
  none: 'the first start makes the embedded database',
  'in-use': 'a running server has the embedded database',
  free: 'the embedded database is there',
};

/** Exported for tests. */
export function databaseFindings(facts: DatabaseFacts): readonly Finding[] {
  const { server, schema, isReadOnly, canMigrate, lockedTables, sharesConnections } = facts;
  const isOlder = schema !== null && schema.version < schema.newest;
  const findings: readonly (Finding | false)[] = [
    isReadOnly && {
      ...{ level: 'wrong', message: 'the database is read-only', server },
      fix: 'Use the address of the primary server, and a role without default_transaction_read_only.',
    },
    lockedTables.length > 0 && {
      ...{ level: 'wrong', message: 'the role of the database lacks rights', tables: lockedTables },
      fix: 'Let the role own the database and its tables.',
    },
    schema !== null &&
      schema.version > schema.newest && {
        ...{ level: 'wrong', message: 'the database belongs to a newer version', schema: schema.version },
        fix: 'Run that version again, or restore the backup made before it first ran.',
      },
    !canMigrate && {
      ...{ level: isOlder ? 'wrong' : 'less', message: 'the role cannot create tables', server },
      fix: 'Let the role own the database: an upgrade of Countersign cannot migrate it otherwise.',
    },
    sharesConnections && {
      ...{ level: 'wrong', message: 'a pooler shares connections between transactions', server },
      fix: 'Connect directly, or through a pooler in session mode: the settings of each session are lost otherwise.',
    },
  ];
  const wrong = findings.filter((finding) => finding !== false);
  const known = schema === null ? {} : { schema: schema.version };
  return wrong.length > 0 ? wrong : [{ level: 'ok', message: 'the database can be used', fix: null, server, ...known }];
}
