import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/policy/settings.ts';
import { migrate } from '../../src/store/migrate.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';
import { isRecord } from '../../src/trust.ts';
import { type DatabaseBench, LEASE, nextEffect, nextSignal, present } from './bench.ts';
import { proposal, pullOf, run, step } from './samples.ts';

const PAST = MIGRATIONS.slice(0, -1).map(({ number }) => number);

/** The names of all that `wanted` has and `found` lacks, at any depth: nothing of this version reads what is not there. */
function lacking(wanted: unknown, found: unknown, at = ''): readonly string[] {
  if (found === undefined) return [at];
  if (!isRecord(wanted) || !isRecord(found)) return [];
  return Object.keys(wanted).flatMap((name) => lacking(wanted[name], found[name], `${at}.${name}`));
}

/** What a version of before has written is read by this one: a file of rows for each form that the database ever had. */
export function pastFormsContract({ backend, store, rows, value, rebuild }: DatabaseBench): void {
  /** A database as the version with this form left it, brought to ours. */
  async function upgraded(form: number): Promise<void> {
    const { db } = backend();
    await sql`drop schema public cascade`.execute(db);
    await sql`create schema public`.execute(db);
    await migrate(db, MIGRATIONS.slice(0, form));
    const fixture = readFileSync(new URL(`fixtures/form-${form}.sql`, import.meta.url), 'utf8');
    for (const statement of fixture.split(/;\n/).filter((text) => text.trim() !== ''))
      await sql.raw(statement).execute(db);
    await migrate(db);
  }

  describe('past forms', () => {
    afterAll(rebuild);

    it.each(PAST)('J7, S85: what waits in form %i expires as by the default, from its own time on', async (form) => {
      await upgraded(form);
      const claim = present(await store().claimPull('w', 50, LEASE));
      const { run, proposals } = await store().load(claim.pullKey, { ids: [], commentId: null });
      expect(run?.settings.expiryHours).toBe(DEFAULT_SETTINGS.expiryHours);
      expect(proposals.map(({ expiresAt, reminded }) => [expiresAt, reminded])).toEqual([
        [null, false],
        [null, false],
      ]);
      expect(await value("select count(*) from effects where type = 'see-deadline' and done_at is null")).toBe(1);
    });

    it.each(PAST)('J7, G15: a run that waits in form %i goes on', async (form) => {
      await upgraded(form);
      const claim = present(await store().claimPull('w', 50, LEASE));
      const pull = await store().load(claim.pullKey, { ids: [], commentId: null });
      expect(lacking(pullOf(1, { run: run('r') }), pull)).toEqual([]);
      for (const one of pull.proposals) expect(lacking(proposal('p', 'r'), one)).toEqual([]);
      expect(pull.run?.phase).toEqual({ kind: 'waiting', turn: 1 });
      expect(pull.proposals.map(({ id, state }) => [id, state])).toEqual([
        ['p1', 'completed'],
        ['p2', 'proposed'],
      ]);
      expect(await store().transcript('r')).toEqual([{ role: 'user', content: 'use bigint' }]);
      const signal = present(await nextSignal(store(), claim, 50));
      expect(signal.signal).toMatchObject({ type: 'committed', proposalIds: ['p2'] });
      const [done, open] = pull.proposals.map((one) => present(one));
      const next = { ...pull, proposals: [present(done), { ...present(open), state: 'cancelled' as const }] };
      expect(await store().save(claim, signal, step(next), 60)).toBe('saved');
      expect((await rows('outcomes')).map(({ proposalId, place }) => [proposalId, place])).toEqual([
        ['p1', 1],
        ['p2', 2],
      ]);
      expect(present(await nextEffect(store(), claim, 70)).effect).toEqual({ type: 'show-run', runId: 'r' });
      expect(await value('select count(*) from votes')).toBe(1);
    });
  });
}
