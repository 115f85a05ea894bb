import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DELIVERY_RETENTION_MS, RUN_RETENTION_MS, UNINSTALL_GRACE_MS } from '../../../src/adapters/store/cleanup.ts';
import { migrate } from '../../../src/adapters/store/engine/migrate.ts';
import { MIGRATIONS } from '../../../src/adapters/store/engine/migrations.ts';
import { checkLedgerChain } from '../../../src/adapters/store/ledger-chain.ts';
import type { CommittedChange } from '../../../src/core/state/proposal.ts';
import { delivery, proposal, pullOf, run, step, UNINSTALLED, vote } from './samples.ts';
import { type DatabaseHarness, LEASE, PATIENCE, present } from './store-under-test.ts';

const COMMITTED_CHANGE: CommittedChange = {
  ...{ proposalId: 'p1', runId: 'r1', commitSha: 'c'.repeat(40), parentSha: null, shownDigest: 'd'.repeat(64) },
  ...{ committed: { digest: 'd'.repeat(64), range: null }, approvers: [{ id: 7, login: 'ana' }] },
};

/** Every row of the ledger is in the chain, and no row can change, come or go unnoticed. */
export function ledgerChainContract({ backend, store, value, claimSignal, rebuild }: DatabaseHarness): void {
  /** Decides three pull requests: each has two votes, an outcome and a commit. */
  async function decide(numbers: readonly number[] = [1, 2, 3]): Promise<void> {
    for (const number of numbers) {
      const { claim, signal } = await claimSignal(`d${number}`, number);
      const phase = { kind: 'ended', reason: 'finished', by: null, at: '', note: null } as const;
      const decided = proposal('p1', `r${number}`, { state: 'completed', note: 'too long' });
      const pull = pullOf(number, { run: run(`r${number}`, { phase }), proposals: [decided], proposalCount: 1 });
      const votes = [vote('p1', 'reads well'), vote('p1')];
      await store().save(claim, signal, step(pull, { votes, ledgerCommits: [COMMITTED_CHANGE] }), 20);
      await store().releaseClaim(claim);
    }
  }

  /** Changes that the owner of the tables can make. */
  async function tamper(...statements: readonly string[]): Promise<void> {
    await backend()
      .db.transaction()
      .execute(async (transaction) => {
        await sql`set local session_replication_role = replica`.execute(transaction);
        for (const statement of statements) await sql.raw(statement).execute(transaction);
      });
  }

  const report = (until: number | null = null) => checkLedgerChain(backend().db, until);

  const keyOf = async (number: number): Promise<string> =>
    String(await value(`select pull_key from ledger_heads where number = ${number}`));

  describe('the chain of the ledger', () => {
    it('has each row once, in order, and a last hash that covers all of them (X14)', async () => {
      expect(await report()).toMatchObject({ rowCount: 0, pullCount: 0, problems: [] });
      await decide();
      const first = await report();
      expect(first).toMatchObject({ rowCount: 12, pullCount: 3, problems: [] });
      expect(await report()).toMatchObject({ hash: first.hash });
      expect(
        await value(
          `select string_agg(kind, ' ' order by position) from ledger_chain where pull_key = '${await keyOf(1)}'`,
        ),
      ).toBe('proposal_outcomes votes votes committed_changes');
    });

    it('a recorded hash can be computed again after the ledger has grown (X14)', async () => {
      await decide([1, 2]);
      const kept = await report();
      await value('select pg_sleep(0.005)');
      await decide([3]);
      expect((await report()).hash).not.toBe(kept.hash);
      expect(await report(kept.until)).toEqual(kept);
      expect(await report(0)).toMatchObject({ rowCount: 0, pullCount: 0, until: 0, problems: [] });
    });

    it('a commit that is reported twice is one row of the chain', async () => {
      await decide([1]);
      const { claim, signal } = await claimSignal('again');
      await store().save(claim, signal, step(pullOf(1), { ledgerCommits: [COMMITTED_CHANGE] }), 20);
      expect(await report()).toMatchObject({ rowCount: 4, problems: [] });
    });

    it.each<[string, string, string]>([
      [
        'a changed vote',
        `update votes set login = 'eve' where id = (select min(id) from votes)`,
        'row 2 (votes) was changed',
      ],
      [
        'a changed outcome',
        `update proposal_outcomes set state = 'rejected' where run_id = 'r1'`,
        'row 1 (proposal_outcomes) was changed',
      ],
      [
        'changed approvers',
        `update committed_changes set approvers = '[]' where id = (select min(id) from committed_changes)`,
        'row 4 (committed_changes) was changed',
      ],
      [
        'other words of a person',
        `update votes set text = 'no' where id = (select min(id) from votes)`,
        'row 2 (votes) has another text than when it was added',
      ],
      [
        'another requester',
        `update proposal_outcomes set record = '{}' where run_id = 'r1'`,
        'row 1 (proposal_outcomes) has another text than when it was added',
      ],
      ['a removed vote', 'delete from votes where id = (select min(id) from votes)', 'row 2 (votes) was removed'],
      [
        'an entry removed from the chain',
        `delete from ledger_chain where position = 2 and pull_key = (select pull_key from ledger_heads where number = 1)`,
        'row 2 was removed',
      ],
      [
        'the removed end of a chain',
        `delete from ledger_chain where position > 3 and pull_key = (select pull_key from ledger_heads where number = 1)`,
        'it ends with row 3, but had 4',
      ],
      [
        'a chain removed as a whole',
        'delete from ledger_chain where pull_key = (select pull_key from ledger_heads where number = 1)',
        'all of its 4 rows were removed',
      ],
      ['a removed count', 'delete from ledger_heads where number = 1', 'its count of rows was removed'],
    ])('%s is found, and named with its pull request (X14)', async (_what, statement, problem) => {
      await decide();
      const key = await keyOf(1);
      await tamper(statement);
      expect((await report()).problems).toContain(`${key}: ${problem}`);
    });

    it('a row without its entry in the chain is found (X14)', async () => {
      await decide();
      await tamper(
        `insert into votes (pull_key, proposal_id, digest, action, person_id, login, permission, surface, delivery_id, head, at)
         select pull_key, proposal_id, digest, action, 99, 'eve', permission, surface, delivery_id, head, at from votes limit 1`,
      );
      expect((await report()).problems).toEqual([expect.stringMatching(/: a row of votes was added past the chain$/)]);
    });

    it('removing the last row or a whole pull request is found, even with its entries and its count (X14)', async () => {
      await decide();
      const key = await keyOf(1);
      await tamper(
        `delete from committed_changes where pull_key = '${key}'`,
        `delete from ledger_chain where pull_key = '${key}' and kind = 'committed_changes'`,
      );
      expect((await report()).problems).toEqual([`${key}: it ends with row 3, but had 4`]);
      await tamper(
        ...['votes', 'proposal_outcomes', 'ledger_chain', 'ledger_heads'].map(
          (table) => `delete from ${table} where pull_key = '${key}'`,
        ),
      );
      expect((await report()).problems).toEqual(['of 3 pull requests, 2 are left']);
    });

    it('a ledger that its owner rewrote completely is consistent, but its last hash is not the recorded one (X14)', async () => {
      await decide();
      const kept = await report();
      await tamper(
        `update votes set login = 'eve'`,
        ...['ledger_chain', 'ledger_heads', 'ledger_size'].map((table) => `delete from ${table}`),
        `select append_to_ledger_chain('votes', id::text, pull_key, to_jsonb(votes) - '{text,text_salt}'::text[]) from votes`,
        `select append_to_ledger_chain('committed_changes', id::text, pull_key, to_jsonb(committed_changes)) from committed_changes`,
        `select append_to_ledger_chain('proposal_outcomes', proposal_id, pull_key,
           to_jsonb(proposal_outcomes) - '{note,note_salt,record,record_salt}'::text[]) from proposal_outcomes`,
      );
      const rewritten = await report();
      expect(rewritten.problems).toEqual([]);
      expect(rewritten.hash).not.toBe(kept.hash);
    });

    it('cleanup and an uninstall erase texts, and the chain stays intact (X14, I15)', async () => {
      await decide();
      const kept = await report();
      while (await store().deleteExpired(21 + RUN_RETENTION_MS + DELIVERY_RETENTION_MS));
      expect(await value('select count(*) from votes where text is not null or text_salt is not null')).toBe(0);
      expect(await report(kept.until)).toEqual(kept);
      await store().broadcastToPulls('uninstalled', UNINSTALLED, 40);
      while (await store().deleteExpired(41 + UNINSTALL_GRACE_MS));
      expect(
        await value('select count(*) from proposal_outcomes where record is not null or record_salt is not null'),
      ).toBe(0);
      expect(await report(kept.until)).toEqual(kept);
    });

    it('the tables of the chain are append-only for every client (X14)', async () => {
      await decide();
      await expect(value(`update ledger_chain set hash = ''`)).rejects.toThrow('append-only');
      for (const table of ['ledger_chain', 'ledger_heads', 'ledger_size']) {
        await expect(value(`delete from ${table}`)).rejects.toThrow('append-only');
        await expect(value(`truncate ${table}`)).rejects.toThrow('append-only');
      }
    });
  });

  describe('the chain of a ledger that a later migration extends', () => {
    afterEach(rebuild);

    it('a new column that is null in earlier rows breaks nothing, and later rows have it in their hash (X14, G15)', async () => {
      await decide([1, 2]);
      const kept = await report();
      const statements = ['alter table votes add column client text'];
      await migrate(backend().db, [...MIGRATIONS, { number: MIGRATIONS.length + 1, name: 'client', statements }]);
      expect(await report(kept.until)).toEqual(kept);
      await value(`alter table votes alter column client set default 'web'`);
      await decide([3]);
      expect(await report()).toMatchObject({ rowCount: 12, pullCount: 3, problems: [] });
      const key = await keyOf(3);
      await tamper(`update votes set client = 'mobile' where pull_key = '${key}'`);
      expect((await report()).problems).toEqual([
        `${key}: row 2 (votes) was changed`,
        `${key}: row 3 (votes) was changed`,
      ]);
    });
  });
}

/** Needs several connections. */
export function sharedLedgerChainContract({ backend, store, value }: DatabaseHarness): void {
  const insertVote = sql`
    insert into votes (pull_key, proposal_id, digest, action, person_id, login, permission, surface, delivery_id, head, at)
    values ('1/2/1', 'p1', 'd', 'deny', 7, 'ana', 'write', 'thread', 'x', 'h', 'now')
  `;

  describe('the chain of a ledger that several processes write', () => {
    it('the last hash waits for rows that are being written, so that none gets an earlier time afterward (X14)', async () => {
      const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
      const { promise: isWritten, resolve: written } = Promise.withResolvers<void>();
      const writer = backend()
        .db.transaction()
        .execute(async (transaction) => {
          await insertVote.execute(transaction);
          written();
          await mayCommit;
        });
      await isWritten;
      const check = checkLedgerChain(backend().db, null);
      const waiting = `select count(*) from pg_locks where locktype = 'advisory' and not granted and mode = 'ExclusiveLock'
        and database = (select oid from pg_database where datname = current_database())`;
      await vi.waitFor(async () => expect(Number(await value(waiting))).toBe(1), PATIENCE);
      commit();
      await writer;
      const report = await check;
      expect(report).toMatchObject({ rowCount: 1, problems: [] });
      await insertVote.execute(backend().db);
      expect(await checkLedgerChain(backend().db, report.until)).toEqual(report);
    });

    it('first decisions on many pull requests at once are all counted (X14)', async () => {
      const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
      await store().receive(
        numbers.map((number) => delivery(`d${number}`, number)),
        10,
      );
      const decideOne = async (): Promise<void> => {
        const claim = present(await store().claimPull('w', 10, LEASE));
        const number = Number(claim.pullRequestKey.split('/')[2]);
        const decision = step(pullOf(number), { votes: [vote('p1'), vote('p2')] });
        await store().save(claim, present(claim.firstSignal), decision, 20);
      };
      await Promise.all(numbers.map(decideOne));
      expect(await checkLedgerChain(backend().db, null)).toMatchObject({ rowCount: 40, pullCount: 20, problems: [] });
    });
  });
}
