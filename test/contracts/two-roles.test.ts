import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DELIVERY_RETENTION_MS, RUN_RETENTION_MS, UNINSTALL_GRACE_MS } from '../../src/adapters/store/cleanup.ts';
import type { Backend } from '../../src/adapters/store/engine/backend.ts';
import { DatabaseError } from '../../src/adapters/store/engine/errors.ts';
import { migrate } from '../../src/adapters/store/engine/migrate.ts';
import { MIGRATIONS } from '../../src/adapters/store/engine/migrations.ts';
import { openPostgres } from '../../src/adapters/store/engine/postgres.ts';
import { checkLedgerChain } from '../../src/adapters/store/ledger-chain.ts';
import { openLedger, openStore } from '../../src/adapters/store/open.ts';
import type { Store } from '../../src/adapters/store/store.ts';
import { serverUrl } from '../support/server-database.ts';
import { delivery, proposal, pullOf, run, step, UNINSTALLED, vote } from './store/samples.ts';
import { LEASE, nextSignal, present } from './store/store-under-test.ts';

/** Roles are shared by all databases of a server. */
const suffix = randomUUID().replaceAll('-', '').slice(0, 12);

const NAMES = {
  owner: `countersign_owner_${suffix}`,
  app: `countersign_app_${suffix}`,
  database: `countersign_${suffix}`,
};

const server = serverUrl();

/** The statements of docs/operations.md, with names of this test. */
function documentedSql(): readonly string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const section = page.slice(page.indexOf('## Two database roles\n'), page.indexOf('## Retention\n'));
  return [...section.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, block = '']) =>
    block
      .replaceAll('countersign_owner', NAMES.owner)
      .replaceAll('countersign_app', NAMES.app)
      .replaceAll('database countersign ', `database ${NAMES.database} `),
  );
}

function urlOf(role: string | null, database: string): string {
  const url = new URL(server ?? '');
  url.pathname = `/${database}`;
  if (role !== null) [url.username, url.password] = [role, role === NAMES.owner ? 'first password' : 'second password'];
  return url.href;
}

/** One at a time, because some statements cannot share a transaction. */
async function execute(url: string, statements: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements.split(';').filter((text) => text.trim() !== '')) await client.query(statement);
  } finally {
    await client.end();
  }
}

const asApp = (statement: string): Promise<void> => execute(urlOf(NAMES.app, NAMES.database), statement);

describe.skipIf(server === null)('a database with two roles, as docs/operations.md makes them', () => {
  let store: Store;
  let ledger: Backend;

  beforeAll(async () => {
    const [create = '', grant = ''] = documentedSql();
    await execute(server ?? '', create);
    await (await openStore({ databaseUrl: urlOf(NAMES.owner, NAMES.database), dataDir: null })).close();
    await execute(urlOf(NAMES.owner, NAMES.database), grant);
    store = await openStore({ databaseUrl: urlOf(NAMES.app, NAMES.database), dataDir: null });
    ledger = await openLedger({ databaseUrl: urlOf(NAMES.app, NAMES.database), dataDir: null });
  });

  afterAll(async () => {
    await store?.close();
    await ledger?.close();
    await execute(
      server ?? '',
      `drop database ${NAMES.database} with (force); drop role ${NAMES.app}; drop role ${NAMES.owner}`,
    );
  });

  it('the server stores decisions, cleans up and checks the chain as the role that owns nothing (X14)', async () => {
    await store.receive([delivery('a'), delivery('b', 2)], 10);
    const claim = present(await store.claimPull('w', 10, LEASE));
    const signal = present(claim.firstSignal);
    const phase = { kind: 'ended', reason: 'finished', by: null, at: '', note: null } as const;
    const decided = proposal('p1', 'r', { state: 'completed', note: 'too long' });
    const pull = pullOf(1, { run: run('r', { phase, messageCount: 1 }), proposals: [decided], proposalCount: 1 });
    const committed = { digest: 'd'.repeat(64), range: null };
    const change = { proposalId: 'p1', runId: 'r', commitSha: 'c'.repeat(40), parentSha: null, approvers: [] };
    const ledgerCommits = [{ ...change, shownDigest: 'd'.repeat(64), committed }];
    const messages = [{ role: 'user', content: 'use bigint' }] as const;
    const effects = [{ type: 'update-run-comment', runId: 'r' }] as const;
    const decision = step(pull, { votes: [vote('p1', 'reads well')], ledgerCommits, messages, effects });
    expect(await store.save(claim, signal, decision, 20)).toBe('saved');
    expect(await store.renewClaim(claim, 30, LEASE)).toBe(true);
    expect((await store.nextWork(claim, 30))?.kind).toBe('effect');
    await store.releaseClaim(claim);
    const second = present(await store.claimPull('w', 40, LEASE));
    expect(await store.saveIfInboxEmpty(second, signal.signal, step(pullOf(2)), 40)).toBe('inbox-not-empty');
    expect(await nextSignal(store, second, 40)).not.toBeNull();
    const kept = await checkLedgerChain(ledger.db, null);
    expect(kept).toMatchObject({ rowCount: 3, problems: [] });
    await store.beginRecovery(50, LEASE, true);
    await store.recordHeartbeat(50, null);
    await store.pauseInstallation(1, 60);
    await store.broadcastToPulls('uninstalled', UNINSTALLED, 70);
    while (await store.deleteExpired(71 + UNINSTALL_GRACE_MS));
    while (await store.deleteExpired(71 + DELIVERY_RETENTION_MS + RUN_RETENTION_MS));
    expect(await checkLedgerChain(ledger.db, kept.until)).toEqual(kept);
    await store.ping();
    await store.rehearseReceive(80);
  });

  it.each([
    `update votes set login = 'eve'`,
    'delete from votes',
    'truncate votes',
    'alter table votes disable trigger user',
    'drop trigger votes_chain on votes',
    `update proposal_outcomes set state = 'completed'`,
    'delete from committed_changes',
    `insert into ledger_chain values ('1/2/3', 1, 'votes', '9', 0, '')`,
    `update ledger_heads set length = 0`,
    'update ledger_size set pulls = 0',
    `select append_to_ledger_chain('votes', '9', '1/2/3', '{}')`,
    `set session_replication_role = replica`,
    'update migrations set number = 0',
    'create table public.ledger_heads_2 (id integer)',
  ])('its role may not: %s (X14)', async (statement) => {
    await expect(asApp(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  it('a temporary table of that role takes no part in the chain (X14)', async () => {
    const vote = `insert into votes (pull_key, proposal_id, digest, action, person_id, login, permission, surface, delivery_id, head, at)
      values ('1/2/9', 'p1', 'd', 'deny', 7, 'ana', 'write', 'thread', 'x', 'h', 'now')`;
    await asApp(`create temporary table ledger_heads (like public.ledger_heads); ${vote}`);
    expect(await checkLedgerChain(ledger.db, null)).toMatchObject({ rowCount: 4, problems: [] });
  });

  it('a migration with that role fails, and says what to do', async () => {
    const backend = await openPostgres(urlOf(NAMES.app, NAMES.database));
    const next = {
      number: MIGRATIONS.length + 1,
      name: 'next',
      statements: ['alter table inbox add column more text'],
    };
    const refused = migrate(backend.db, [...MIGRATIONS, next]);
    await expect(refused).rejects.toThrow(DatabaseError);
    await expect(refused).rejects.toThrow(/may not change the schema .*with the role that owns the tables/);
    await backend.close();
  });
});
