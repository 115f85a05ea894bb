import { expect, it } from 'vitest';
import { openStore } from '../../../src/adapters/store/open.ts';
import { run } from '../../cli/process.ts';
import { command, makeDatabase, serverUrl } from '../../support/server-database.ts';

it.skipIf(serverUrl() === null)(
  'O11: countersign migrate lists the migrations of an empty PostgreSQL database and runs none, and refuses a newer one',
  async () => {
    const { url, drop } = await makeDatabase(serverUrl() ?? '', null);
    const check = () => run(['migrate', '--check'], { DATABASE_URL: url }).ended;
    const migrations = /^The database has schema version 0, and the next start migrates it to \d+:\n( {2}\d+ .+\n)+$/;
    for (const _ of [1, 2]) expect(await check()).toMatchObject({ code: 1, stdout: expect.stringMatching(migrations) });
    await (await openStore({ databaseUrl: url, dataDir: null })).close();
    expect(await check()).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing is to migrate') });
    await command(url, "insert into migrations (number, name) values (99, 'of a newer version')");
    expect(await check()).toMatchObject({ code: 2, stderr: expect.stringContaining('Run the newer version again') });
    await drop();
  },
  60_000,
);
