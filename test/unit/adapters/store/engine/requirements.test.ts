import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { DatabaseError } from '../../../../../src/adapters/store/engine/errors.ts';
import { createPgliteBackend } from '../../../../../src/adapters/store/engine/pglite.ts';
import {
  requireOwnSessions,
  requireRights,
  requireVersion,
} from '../../../../../src/adapters/store/engine/requirements.ts';
import { openStore } from '../../../../../src/adapters/store/open.ts';
import type { Store } from '../../../../../src/adapters/store/store.ts';
import { createLogger } from '../../../../../src/adapters/telemetry/log.ts';
import { watchStorage } from '../../../../../src/app/storage-health.ts';
import { isOutage } from '../../../../../src/lib/outage.ts';
import { delivery } from '../../../../contracts/store/samples.ts';
import { fromTemplate } from '../../../../support/borrowed-pglite.ts';
import { command, makeDatabase, type ServerDatabase, serverUrl } from '../../../../support/server-database.ts';

const server = serverUrl();

const role = `countersign_poor_${randomUUID().slice(0, 8)}`;

const ALL_RIGHTS = [
  `grant usage on schema public to ${role}`,
  `grant select, insert, update, delete on all tables in schema public to ${role}`,
  `grant usage on all sequences in schema public to ${role}`,
];

function openAs(url: string, user: string): Promise<Store> {
  const own = new URL(url);
  [own.username, own.password] = [user, 'secret'];
  return openStore({ databaseUrl: own.href, dataDir: null });
}

/** Why the store does not open; empty if it does. */
function refusal(opening: Promise<Store>): Promise<string> {
  return opening.then(
    async (store) => {
      await store.close();
      return '';
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(DatabaseError);
      return error instanceof Error ? error.message : '';
    },
  );
}

/** The statements that a refusal gives. */
function grantsIn(message: string): readonly string[] {
  return (/run "([^"]+)"/.exec(message)?.[1] ?? '').split('; ').filter((grant) => grant !== '');
}

describe.skipIf(server === null)('a role of PostgreSQL without all rights', () => {
  let database: ServerDatabase;

  beforeAll(async () => {
    database = await makeDatabase(server ?? '', inject('serverTemplate'));
    await command(server ?? '', `create role ${role} login password 'secret'`);
    await command(database.url, 'revoke all on schema public from public');
  });
  beforeEach(() => command(database.url, ...ALL_RIGHTS));
  afterAll(async () => {
    await database?.drop();
    await command(server ?? '', `drop role ${role}`);
  });

  it.each([
    [`revoke delete on runs from ${role}`, 'the table runs', `grant delete on runs to ${role}`],
    [`revoke select, update on pulls from ${role}`, 'the table pulls', `grant select, update on pulls to ${role}`],
    [
      `revoke update on votes from ${role}`,
      'the table votes',
      `grant update (text), update (text_salt) on votes to ${role}`,
    ],
    [`revoke select on migrations from ${role}`, 'the table migrations', `grant select on migrations to ${role}`],
    [
      `revoke usage on sequence inbox_id_seq from ${role}`,
      'the sequence inbox_id_seq',
      `grant usage on sequence inbox_id_seq to ${role}`,
    ],
    [`revoke usage on schema public from ${role}`, 'the schema public', `grant usage on schema public to ${role}`],
  ])('is refused at the start after "%s", with the statement that helps', async (revoke, about, grant) => {
    await command(database.url, revoke);
    const message = await refusal(openAs(database.url, role));
    expect(message).toContain(`The role ${role} lacks rights on ${about} `);
    expect(grantsIn(message)).toEqual([grant]);
    await command(database.url, grant);
    expect(await refusal(openAs(database.url, role))).toBe('');
  });

  it('is told everything at once', async () => {
    await command(
      database.url,
      `revoke all on all tables in schema public from ${role}`,
      `revoke all on all sequences in schema public from ${role}`,
    );
    const message = await refusal(openAs(database.url, role));
    expect(message).toMatch(/ lacks rights on the tables inbox, pulls, .* and .* in the database /);
    await command(database.url, ...grantsIn(message));
    expect(await refusal(openAs(database.url, role))).toBe('');
  });

  it('is not ready while a right is missing, says once what helps, and is ready again with it', async () => {
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ level: 'info', format: 'json', secrets: [], stream });
    const opened = await openAs(database.url, role);
    const { store, storage } = watchStorage({ store: opened, log, now: Date.now, rehearsalIntervalMs: 20 });
    try {
      await storage.check();
      await command(database.url, `revoke update on pulls from ${role}`);
      await expect(store.claimPull('w', 10, 1_000)).rejects.toSatisfy(isOutage);
      await expect.poll(() => storage.check().catch(String)).toContain(`run "grant update on pulls to ${role}"`);
      await command(database.url, `grant update on pulls to ${role}`, `revoke usage on schema public from ${role}`);
      await expect(store.receive([delivery('a')], 10)).rejects.toSatisfy(isOutage);
      await expect.poll(() => storage.check().catch(String)).toContain(`run "grant usage on schema public to ${role}"`);
      await command(database.url, `grant usage on schema public to ${role}`);
      await expect.poll(() => storage.check()).toBeUndefined();
      expect(lines.filter((line) => line.includes('database cannot store'))).toHaveLength(1);
      expect(lines.join('')).not.toContain('"stack"');
    } finally {
      storage.stop();
      await opened.close();
    }
  });
});

describe('a role with all rights', () => {
  it.each([
    'enable_nestloop',
    'enable_hashjoin',
    'enable_mergejoin',
    'enable_seqscan',
    'enable_nestloop, enable_hashjoin',
    'enable_nestloop, enable_indexscan, enable_bitmapscan',
  ])('passes however the server plans the question, here without %s (O17)', async (settings) => {
    const pglite = await fromTemplate();
    try {
      const { db } = await createPgliteBackend(pglite, async () => {});
      for (const setting of settings.split(', ')) await pglite.exec(`set ${setting} = off`);
      await requireRights(db);
    } finally {
      await pglite.close();
    }
  });
});

describe('a server of an old version', () => {
  it('is refused at the start, and this one is new enough', async () => {
    const pglite = await fromTemplate();
    try {
      const { db } = await createPgliteBackend(pglite, async () => {});
      await requireVersion(db);
      await expect(requireVersion(db, 99)).rejects.toThrow(/is PostgreSQL \d+.*, and Countersign needs 99 or newer/);
    } finally {
      await pglite.close();
    }
  });
});

describe('a session that a pooler shares', () => {
  it('is refused, because it holds the lock of the process and does its work (S81)', async () => {
    const pglite = await fromTemplate();
    try {
      // An embedded database has one session for both.
      const shared = await createPgliteBackend(pglite, async () => {});
      const refused = requireOwnSessions(shared);
      await expect(refused).rejects.toThrow(DatabaseError);
      await expect(refused).rejects.toThrow(/Connect to PostgreSQL directly, or through a pooler in session mode/);
      await requireOwnSessions({ ...shared, leaseHolderId: shared.leaseHolderId + 1 });
    } finally {
      await pglite.close();
    }
  });
});

describe.skipIf(server === null)('a database that cannot hold every character', () => {
  it('is refused at the start, before anything is created in it, with the statement that makes another one', async () => {
    const name = `countersign_latin_${randomUUID().slice(0, 8)}`;
    await command(server ?? '', `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    const url = Object.assign(new URL(server ?? ''), { pathname: `/${name}` }).href;
    try {
      const message = await refusal(openStore({ databaseUrl: url, dataDir: null }));
      expect(message).toContain(`The database ${name} has the encoding LATIN1`);
      expect(message).toMatch(/"create database countersign encoding 'UTF8' locale 'C' template template0"/);
      await expect(command(url, 'select from migrations')).rejects.toThrow('does not exist');
    } finally {
      await command(server ?? '', `drop database ${name} with (force)`);
    }
  });
});
