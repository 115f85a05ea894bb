import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { lockDirectory } from '../../../../src/adapters/store/engine/data-directory.ts';
import { EXPORT_COMMAND, runExport } from '../../../../src/cli/export/export.ts';
import { parseOptions } from '../../../../src/cli/options.ts';
import { runHere } from '../../../support/run-here.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const folder = scratchFolder();

function exportOf(args: readonly string[], dataDir: string) {
  return runHere(() => runExport(args), { DATA_DIR: dataDir });
}

describe('the options of export', () => {
  it('reads all of them', () => {
    const pull = { repository: 'acme/shop.js', number: 7 };
    const since = Date.UTC(2030, 0, 31, 12);
    expect(
      parseOptions(EXPORT_COMMAND, ['--pr', 'acme/shop.js#7', '--since', '2030-01-31T12:00:00Z', '--csv']),
    ).toEqual({
      kind: 'options',
      options: { pull, since, format: 'csv' },
    });
  });

  it.each([
    [['--pr', '7'], '--pr needs a name such as acme/shop#7.'],
    [['--pr', 'acme/shop#0'], '--pr needs a name such as acme/shop#7.'],
    [['--since', 'yesterday'], '--since needs a time'],
    [['--since', '2030-13-01'], '--since needs a time'],
    [['--since', ' '], '--since needs a value.'],
    [['acme/shop#7'], "Unexpected argument 'acme/shop#7'."],
  ])('%j is refused in one line', (argv, problem) => {
    expect(parseOptions(EXPORT_COMMAND, argv)).toEqual({ kind: 'problem', problem: expect.stringContaining(problem) });
  });
});

describe('countersign export', () => {
  it('reports a missing database, and creates none', async () => {
    const { code, stderr } = await exportOf([], join(folder, 'nowhere'));
    expect(code).toBe(2);
    expect(stderr).toContain('There is no database in');
    expect((await exportOf([], join(folder, 'nowhere'))).stderr).toBe(stderr);
  });

  it('says that a server holds the embedded database', async () => {
    const dataDir = join(folder, 'held');
    mkdirSync(join(dataDir, 'database'), { recursive: true });
    writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '17\n');
    const lock = lockDirectory(dataDir);
    const { code, stderr, stdout } = await exportOf([], dataDir);
    lock.release();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/in use by another Countersign process\. Stop that one first.*\n$/);
  });

  it('writes nothing for an empty ledger, and names an unknown pull request', async () => {
    const dataDir = join(folder, 'empty');
    cpSync(inject('templateDatabase'), dataDir, { recursive: true });
    const none = await exportOf(['--pr', 'acme/shop#7'], dataDir);
    expect(none).toEqual({
      code: 1,
      stdout: '',
      stderr: 'countersign export: The ledger has no pull request acme/shop#7.\n',
    });
    expect((await exportOf(['--csv'], dataDir)).stdout).toMatch(/^proposalId,conversationId,.*,votes,writes\r\n$/);
  }, 60_000);
});
