import { describe, expect, it } from 'vitest';
import { NONE_NAMED } from '../../src/run/named-proposals.ts';
import { RUN_SCHEMA } from '../../src/run/run.ts';
import { UnknownSchema } from '../../src/store/unknown-schema.ts';
import type { DatabaseBench } from './bench.ts';
import { proposal, pullOf, run, step, vote } from './samples.ts';

const LEDGER = ['votes', 'outcomes', 'writes'];
const WRITE = {
  ...{ proposalId: 'p1', runId: 'r', commit: 'c', parent: null, shownDigest: 'd', approvers: [] },
  made: { digest: 'd', range: null },
};

/** What only a database can do: break in the middle, be written to by others, and hold rows of another version. */
export function databaseContract({ store, value, signalled, rebuild }: DatabaseBench): void {
  describe('database', () => {
    it('S79: a step that fails at its last write leaves nothing', async () => {
      const { claim, signal } = await signalled('a');
      await value('drop table effects');
      const pull = pullOf(1, { run: run('r', { messages: 1 }), proposals: [proposal('p1', 'r', { state: 'failed' })] });
      const doomed = step(pull, {
        votes: [vote('p1')],
        messages: [{ role: 'user', content: 'u' }],
        effects: [{ type: 'show-run', runId: 'r' }],
      });
      await expect(store().save(claim, signal, doomed, 20)).rejects.toThrow();
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual(pullOf(1));
      expect(await value('select signal from inbox where done_at is null')).toBe(JSON.stringify(signal.signal));
      for (const table of ['runs', 'proposals', 'outcomes', 'votes', 'messages']) {
        expect(await value(`select count(*) from ${table}`)).toBe(0);
      }
      await rebuild();
    });

    it('S71: votes and outcomes are only ever added, whoever asks', async () => {
      const { claim, signal } = await signalled('a');
      const done = pullOf(1, { proposals: [proposal('p1', 'r', { state: 'rejected' })] });
      await store().save(claim, signal, step(done, { votes: [vote('p1', 'too long')], writes: [WRITE] }), 20);
      for (const table of LEDGER) {
        await expect(value(`update ${table} set digest = 'x'`)).rejects.toThrow('only ever added');
        await expect(value(`update ${table} set pull_key = null`)).rejects.toThrow('only ever added');
        await expect(value(`delete from ${table}`)).rejects.toThrow('only ever added');
        await expect(value(`truncate ${table}`)).rejects.toThrow('only ever added');
      }
    });

    it('S71, I15: of the ledger only words may be erased, never put in the place of others', async () => {
      const { claim, signal } = await signalled('a');
      const done = pullOf(1, { proposals: [proposal('p1', 'r', { state: 'rejected', note: 'too long' })] });
      await store().save(claim, signal, step(done, { votes: [vote('p1', 'too long')] }), 20);
      await expect(value(`update votes set text = 'fine'`)).rejects.toThrow('only ever added');
      await expect(value(`update outcomes set note = null, state = 'completed'`)).rejects.toThrow('only ever added');
      await value('update votes set text = null');
      await value('update outcomes set note = null, record = null');
      await expect(value(`update votes set text = 'fine'`)).rejects.toThrow('only ever added');
      expect(await value('select count(*) from votes where text is null and login is not null')).toBe(1);
      expect(await value('select count(*) from outcomes where note is null and digest is not null')).toBe(1);
    });

    it.each(['inbox', 'effects'])(
      'of a million rows of %s few may change before a server vacuums them',
      async (table) => {
        const optionOf = async (name: string): Promise<number> =>
          Number(
            await value(`
            select option_value from pg_class, pg_options_to_table(reloptions)
            where relname = '${table}' and option_name = '${name}'
          `),
          );
        const [share, least] = ['autovacuum_vacuum_scale_factor', 'autovacuum_vacuum_threshold'].map(optionOf);
        expect(1_000_000 * ((await share) ?? 1) + ((await least) ?? 0)).toBeLessThan(25_000);
      },
    );

    it('S84: a form that this version does not know is an error of its own, never a guess', async () => {
      const { claim, signal } = await signalled('a');
      const pull = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r')] });
      await store().save(claim, signal, step(pull), 20);
      for (const table of ['runs', 'proposals']) {
        await value(`update ${table} set schema = 99`);
        await expect(store().load(claim.pullKey, NONE_NAMED)).rejects.toThrow(UnknownSchema);
        await value(`update ${table} set schema = ${RUN_SCHEMA}`);
      }
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual(pull);
    });
  });
}
