import { expect, it } from 'vitest';
import type { DatabaseFacts } from '../../../src/adapters/store/engine/inspect.ts';
import { createDatabaseProbe, databaseFindings } from '../../../src/app/database-probe.ts';

const WORKING: DatabaseFacts = {
  server: 'PostgreSQL 17.2',
  schema: { version: 9, newest: 9 },
  isReadOnly: false,
  canMigrate: true,
  lockedTables: [],
  sharesConnections: false,
};

const AT_THE_START = { version: 0, newest: 9 };

it.each<[string, Partial<DatabaseFacts>, 'ok' | 'less' | 'wrong', string]>([
  ['works', {}, 'ok', 'the database can be used'],
  ['is empty before the first start', { schema: AT_THE_START }, 'ok', 'the database can be used'],
  ['is read-only', { isReadOnly: true }, 'wrong', 'the database is read-only'],
  ['lacks a right', { lockedTables: ['inbox'] }, 'wrong', 'the role of the database lacks rights'],
  ['belongs to a newer version', { schema: { version: 10, newest: 9 } }, 'wrong', 'the database belongs to a newer'],
  ['cannot be migrated at the next upgrade', { canMigrate: false }, 'less', 'the role cannot create tables'],
  ['can never be made', { canMigrate: false, schema: AT_THE_START }, 'wrong', 'the role cannot create tables'],
  ['is behind a pooler of transactions', { sharesConnections: true }, 'wrong', 'a pooler shares connections'],
])('O4: a database that %s is one line', (_, facts, level, message) => {
  expect(databaseFindings({ ...WORKING, ...facts })).toMatchObject([
    { level, message: expect.stringContaining(message) },
  ]);
});

it.each([
  ['/dev/null/data', 'nothing can be written in /dev/null (it is no directory)'],
  [import.meta.filename, 'nothing can be written in'],
])('O4: a DATA_DIR that cannot be made, such as %s, is wrong before the first start', async (dataDir, words) => {
  const findings = await createDatabaseProbe({ url: null, dataDir }).run(AbortSignal.any([]));
  expect(findings).toMatchObject([{ level: 'wrong', fix: expect.stringContaining(words) }]);
});
