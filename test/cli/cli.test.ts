import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closestName } from '../../src/lib/closest-name.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import { readFacts } from '../architecture/source-facts.ts';
import { run } from './process.ts';

const root = join(import.meta.dirname, '../..');

describe('countersign', () => {
  it('lists its commands', async () => {
    const { code, stdout, stderr } = await run(['--help']).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: countersign <command>

        setup    register a GitHub App of your own, and write its settings
        doctor   look at everything that the server needs, and say what is wrong
        start    run the server
        demo     play one conversation offline, on a fake GitHub
        verify   check that commits contain exactly the approved changes
        config   check a settings file, and list what is in force
        pending  list the changes and questions that wait for people
        inspect  show one pull request as it is stored
        pause    pause an account or repository
        unpause  end a pause, and go on
        migrate  say which migrations the next start would run
        report   count tasks, changes and their cost
        export   export who decided what

      Options: --help, --version
      "
    `);
  });

  it('prints its version', async () => {
    const manifest = parseJson(readFileSync(join(root, 'package.json'), 'utf8'));
    const { code, stdout } = await run(['--version']).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${isRecord(manifest) ? manifest['version'] : ''}\n` });
  });

  it.each([
    [['strat'], 'countersign has no command "strat". Did you mean start?'],
    [['--hlp'], 'countersign has no command "--hlp". Did you mean --help?'],
    [['deploy'], 'countersign has no command "deploy". See countersign --help.'],
    [['__proto__'], 'countersign has no command "__proto__".'],
    [[], 'Usage: countersign <command>'],
    [['start', '--bogus'], 'Unknown option "--bogus". countersign start is configured through environment variables'],
    [['verify'], 'countersign verify: Give one range, such as main..HEAD. See countersign verify --help.'],
  ])('refuses %j with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await run(args).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it('start without credentials lists every problem and explains in three lines what to do (F1, J10)', async () => {
    const { code, stdout, stderr } = await run(['start']).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatchInlineSnapshot(`
      "Countersign cannot start:
      - APP_ID is missing: it is the number on the page of your GitHub App ("App ID").
      - WEBHOOK_SECRET is missing: make one with "openssl rand -hex 32" and enter it on the page of your GitHub App too.
      - OPENAI_MODEL is missing: set it to the name of the model that your endpoint serves.
      - PRIVATE_KEY or PRIVATE_KEY_PATH is missing: generate one on the page of your GitHub App ("Private keys").
      - OPENAI_API_KEY is missing: set it, or set OPENAI_BASE_URL to an endpoint of your own that needs none.

      Run countersign setup: it registers a GitHub App in two clicks, and sets APP_ID, PRIVATE_KEY_PATH and WEBHOOK_SECRET.
      If you did, start in the folder where it wrote .env.
      Set OPENAI_MODEL and OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own.
      Or try everything offline first, without any of it: countersign demo (in a checkout: npm run demo)
      "
    `);
  });

  it('the entry file statically imports only modules that an old Node can parse (J4)', () => {
    const source = readFileSync(join(root, 'bin/countersign.js'), 'utf8');
    const [facts] = readFacts({ 'bin/countersign.ts': source });
    expect(facts?.imports.filter(({ late }) => !late).map(({ from }) => from)).toEqual(['node:fs', 'node:process']);
  });

  it.each(['20.20.2', '22.1.0'])('Node %s is told in one sentence which version it must be (J4)', async (version) => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
    const { code, stdout, stderr } = await run(['start'], {}, undefined, [
      '--import',
      `data:text/javascript,${encodeURIComponent(pretend)}`,
    ]).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^Countersign needs Node 24 or newer, and this is Node ${version}\\. Install it .*\\n$`),
    );
  });
});

describe('closestName', () => {
  it('finds the intended command within two characters', () => {
    const names = ['start', 'demo', 'doctor'];
    expect(['stat', 'demos', 'docktr', 'xyz', ''].map((word) => closestName(word, names))).toEqual([
      'start',
      'demo',
      'doctor',
      null,
      null,
    ]);
    expect(closestName('x'.repeat(1_000_000), names)).toBeNull();
  });
});
