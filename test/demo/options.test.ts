import { describe, expect, it } from 'vitest';
import { DEMO_COMMAND } from '../../demo/options.ts';
import { parseOptions } from '../../src/cli/options.ts';

describe('demo options', () => {
  it('parses all options', () => {
    const own = ['--repo', '.', '--base', 'main', '--task', 'tidy up', '--model', 'gpt'];
    const argv = [...own, '--auto', '--no-open', '--port', '8080'];
    const given = { repo: '.', base: 'main', task: 'tidy up', model: 'gpt', auto: true };
    const options = { ...given, open: false, port: 8080 };
    expect(parseOptions(DEMO_COMMAND, argv)).toEqual({ kind: 'options', options });
  });

  it('needs no option', () => {
    const options = { repo: null, base: null, task: null, model: null, auto: false, open: true, port: 0 };
    expect(parseOptions(DEMO_COMMAND, [])).toEqual({ kind: 'options', options });
  });

  it.each([['--help'], ['-h']])('%s asks for help', (word) => {
    expect(parseOptions(DEMO_COMMAND, [word])).toEqual({ kind: 'help' });
  });

  it.each([
    [['--repos', '.'], "Unknown option '--repos'. See countersign demo --help."],
    [['--repo'], "Option '--repo <value>' argument missing. See countersign demo --help."],
    [['somewhere'], "Unexpected argument 'somewhere'. See countersign demo --help."],
    [['--task', ' '], '--task needs a value.'],
    [['--base', 'main'], '--base needs --repo.'],
    [['--port', '80a'], '--port needs a number up to 65535.'],
  ])('%j is refused in one line', (argv, problem) => {
    const read = parseOptions(DEMO_COMMAND, argv);
    expect(read).toMatchObject({ kind: 'problem' });
    expect(read.kind === 'problem' && read.problem.startsWith(problem.slice(0, 30))).toBe(true);
    expect(read.kind === 'problem' && read.problem).not.toContain('\n');
  });
});
