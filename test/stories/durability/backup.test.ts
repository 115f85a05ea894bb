import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { openStore } from '../../../src/adapters/store/open.ts';
import { makeDatabase, serverUrl } from '../../support/server-database.ts';
import { editRow, proposeRows, ROWS_PATH, rows } from '../support/rows.ts';
import { openStage, type Stage } from '../support/stage.ts';

const script = join(import.meta.dirname, '../../../scripts/backup.ts');

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Site = {
  readonly stage: Stage;
  /** Runs the script as an operator does, while the App is running. */
  readonly backup: (verb: 'save' | 'restore') => Promise<unknown>;
  /** Stops the App, runs the script, and starts the App again. */
  readonly stopped: (verb: 'save' | 'restore', environment?: Readonly<Record<string, string>>) => Promise<void>;
};

/** The App on a database that outlives it, and the script that an operator runs. */
async function openSite(kind: 'embedded' | 'PostgreSQL'): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-backup-'));
  closers.push(() => rm(folder, { recursive: true }));
  const dataDir = join(folder, 'data');
  const server = kind === 'PostgreSQL' ? await makeDatabase(serverUrl() ?? '', inject('serverTemplate')) : null;
  if (server === null) await cp(inject('templateDatabase'), dataDir, { recursive: true });
  else closers.push(server.drop);
  const location = server === null ? { DATA_DIR: dataDir } : { DATABASE_URL: server.url };
  const env = { PATH: process.env['PATH'] ?? '', ...location };
  const backup: Site['backup'] = (verb) =>
    promisify(execFile)(process.execPath, [script, verb, join(folder, 'backup')], { env, cwd: folder });
  const nothing = async (): Promise<unknown> => null;
  let whileStopped = nothing;
  const nowhere = (): never => {
    throw new Error('This story does not look into the database.');
  };
  const stage = await openStage({
    database: {
      async open() {
        await whileStopped();
        whileStopped = nothing;
        return openStore({ databaseUrl: server?.url ?? null, dataDir: server === null ? dataDir : null });
      },
      db: nowhere,
      text: nowhere,
      drop: async () => {},
    },
  });
  closers.push(stage.close);
  return {
    stage,
    backup,
    async stopped(verb, environment) {
      whileStopped = () => backup(verb);
      await stage.restart(environment);
    },
  };
}

const KINDS = [
  { kind: 'embedded', without: false },
  { kind: 'PostgreSQL', without: serverUrl() === null },
] as const;

describe.each(KINDS)('a backup of the $kind database', { timeout: 240_000 }, ({ kind, without }) => {
  it.skipIf(without)('is restored with its pending changes, and no vote from after it counts (O26)', async () => {
    const { stage, backup, stopped } = await openSite(kind);
    const { ana, ben, bot, pr, configures } = await proposeRows(stage, { 5: 50, 12: 120 });
    await configures('required_approvals: 2\n');
    await ana.replies(bot.proposal(1), '/approve');
    expect(bot.proposal(1).body).toContain('1 of 2 approvals');
    if (kind === 'embedded') await expect(backup('save')).rejects.toThrow('is in use by another Countersign process');
    await stopped('save');
    await expect(backup('save')).rejects.toThrow('exists already, and is not replaced');

    // What the backup does not know: the first change is denied, and the second one has a vote.
    await ben.replies(bot.proposal(1), '/deny not now');
    await ben.replies(bot.proposal(2), '/approve');
    expect(bot.proposal(2).body).toContain('1 of 2 approvals');
    await stopped('restore');

    // The page of the denied change is not as it was stored: an approval of it does not count, and it is asked again.
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toEqual([]);
    expect(bot.proposal(1).body).toContain('1 of 2 approvals');
    // The vote on the second change that was given after the backup is no second one beside this.
    await ana.replies(bot.proposal(2), '/approve');
    expect(pr.commits()).toEqual([]);

    // The change goes on with the vote that the backup has, and a new one.
    await ben.replies(bot.proposal(1), '/approve');
    expect(pr.file(ROWS_PATH)).toBe(rows({ 5: 50 }));
    expect(pr.commits()).toHaveLength(1);
  });
});

describe('a restored server that polls', { timeout: 240_000 }, () => {
  it('hears again what GitHub sent since the backup (O26)', async () => {
    const { stage, stopped } = await openSite('embedded');
    const { ana, ben, bot, pr, model } = await proposeRows(stage, { 5: 50, 12: 120 });
    await stopped('save');
    await ben.replies(bot.proposal(1), '/deny not now');
    model.proposes(editRow(5, 51));
    await stopped('restore', { POLL: '5s' });
    await stage.later(10);
    await ana.replies(bot.proposal(1), '/approve');
    await stage.later(10);
    expect(pr.commits()).toEqual([]);
    expect(bot.answer()).toContain('was already rejected');
  });
});
