import { describe, expect, it } from 'vitest';
import type { ScriptedCall } from '../../../fakes/model/script.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll();

/** A pull request with these files, whose model sends these responses, and then ends. */
async function changing(
  files: Readonly<Record<string, string>>,
  ...responses: readonly (readonly ScriptedCall[])[]
): Promise<Story> {
  const story = await stage().tell({ branch: files });
  for (const calls of responses) story.model.proposes(...calls);
  await story.ana.says('/countersign bring the settings up to date');
  return story;
}

/** Its warnings that are about syntax. */
function warnings({ bot }: Story, index = 1): readonly string[] {
  const found: readonly string[] = bot.proposal(index).body.replaceAll('\\', '').match(/⚠️ .*/g) ?? [];
  return found.filter((text) => text.includes('parse'));
}

const AGAIN = 'Send it again if you mean it.';

describe('a change after which a file would no longer parse', () => {
  it.each([
    ['JSON', 'package.json', '{\n  "private": true\n}\n', 'true', 'true\n  "type": "module"', 'line 3: comma expected'],
    ['TypeScript', 'src/a.ts', 'export const a = f(1);\n', 'f(1)', 'f(1', 'line 1: missing )'],
  ])(
    'in %s is answered with the line, and the mended one is shown (S148, T24)',
    async (_, path, text, old, broken, problem) => {
      const story = await changing({ [path]: text }, [edit(path, old, broken)], [edit(path, old, `${old} `)]);
      const { ana, bot, model } = story;
      expect(bot.proposals()).toHaveLength(1);
      expect(warnings(story)).toEqual([]);
      await ana.says('/deny all');
      expect(model.allToolMessages()[0]).toBe(`${path} would no longer parse: ${problem}. ${AGAIN}`);
    },
  );

  it('is shown with a warning if the agent sends it again, also with another reason (S148)', async () => {
    const call = (reason: string) => edit('ci.yml', 'jobs: {}', 'jobs: {', { reason });
    const story = await changing({ 'ci.yml': 'on: push\njobs: {}\n' }, [call('A typo.')], [call('I mean it.')]);
    const { ana, bot, pr } = story;
    expect(bot.proposals()).toHaveLength(1);
    expect(warnings(story)).toEqual([
      '⚠️ With this change `ci.yml` does not seem to parse: line 2: bad indent. The agent was told, and insists.',
    ]);
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.file('ci.yml')).toBe('on: push\njobs: {\n');
  });

  it('is answered first also where a call of several changes comes to it alone (S148, S146)', async () => {
    const call = (summary: string): ScriptedCall => ({
      name: 'change_files',
      arguments: {
        summary,
        changes: [{ op: 'edit', path: 'ci.yml', old_string: 'jobs: {}', new_string: 'jobs: {' }],
      },
    });
    const files = { 'ci.yml': 'on: push\njobs: {}\n' };
    const once = await changing(files, [call('A typo.')]);
    expect(once.bot.proposals()).toEqual([]);
    expect(once.model.allToolMessages()[0]).toContain(`would no longer parse: line 2: bad indent. ${AGAIN}`);
    const twice = await changing(files, [call('A typo.')], [call('I mean it.')]);
    expect(twice.bot.proposals()).toHaveLength(1);
    expect(warnings(twice)).toHaveLength(1);
  });

  it('keeps its warning when it is shown again after a push (S148, S94)', async () => {
    const call = edit('a.toml', 'b = 2', 'b = two');
    const text = 'a = 1\n\n\n\n\n\nb = 2\n';
    const story = await changing({ 'a.toml': text }, [call], [call]);
    await story.ben.pushes({ 'a.toml': text.replace('b = 2', 'b = 2 # two') });
    expect(story.bot.proposals()).toHaveLength(2);
    expect(warnings(story, 2)).toHaveLength(1);
  });

  it('holds back the other changes of its response until it is mended (S148, S149)', async () => {
    const { bot, model } = await changing(
      { 'a.json': '{}\n', 'b.json': '{}\n' },
      [edit('a.json', '{}', '{ "a": }'), edit('b.json', '{}', '{ "b": 2 }')],
      [edit('a.json', '{}', '{ "a": 1 }')],
    );
    expect(bot.proposals()).toHaveLength(2);
    expect(model.requests()[1]?.messages.at(-1)?.content).toContain('Held: valid');
  });

  it('is refused although a later change mends it, because people can take one without the other (S148)', async () => {
    const texts = [
      ['one();\n', 'if (x) {\none();\n'],
      ['five();\n', 'five();\n}\n'],
    ] as const;
    const edits = texts.map(([old_string, new_string]) => ({ old_string, new_string }));
    const { ana, bot, model } = await changing(
      { 'a.js': 'one();\ntwo();\nthree();\nfour();\nfive();\n' },
      texts.map(([before, after]) => edit('a.js', before, after)),
      [{ name: 'edit_file', arguments: { path: 'a.js', edits } }],
    );
    expect(bot.proposals()).toHaveLength(1);
    await ana.says('/deny all');
    const refused = model.allToolMessages().slice(0, 2);
    expect(refused).toEqual([expect.stringContaining(AGAIN), expect.stringContaining(AGAIN)]);
  });
});
