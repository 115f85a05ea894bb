import { afterEach, describe, expect, it } from 'vitest';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';
import { edit, type Story } from '../support/story.ts';

const stage = stageForAll({ environment: { OPENAI_API: 'responses' } });

afterEach(() => stage().model.setRules({}));

const READ = { name: 'read_file', arguments: { path: 'src/total.ts' } };

/** The items of a request, as far as they are the model's or answer its calls. */
function itemsOf({ model }: Story, at: number): readonly Readonly<Record<string, unknown>>[] {
  const input = model.requests().at(at)?.body['input'];
  return (Array.isArray(input) ? input.filter(isRecord) : []).filter(({ role }) => role !== 'user');
}

describe('a model that speaks the Responses API', () => {
  it('R50: gets its thoughts back before the calls that they led to, from the task to the commit', async () => {
    stage().model.setRules({ signatures: true });
    const story = await stage().tell();
    const { ana, bot, model, pr } = story;
    model.proposes(READ);
    model.says({ content: 'Money is exact.', calls: [BIGINT] });
    await ana.says('/countersign use bigint');
    model.says({ content: 'Because of rounding.' });
    await ana.says('/ask why?');
    expect(bot.answer()).toContain('Because of rounding.');
    await ana.replies(bot.proposal(1), '/approve');
    expect(pr.commits()).toHaveLength(1);
    expect(itemsOf(story, -1).map(({ type, id }) => [type, String(id).replace(/_\d.*/, '')])).toEqual([
      ...[
        ['reasoning', 'rs'],
        ['function_call', 'fc'],
        ['function_call_output', 'undefined'],
      ],
      ...[
        ['reasoning', 'rs'],
        ['message', 'msg'],
        ['function_call', 'fc'],
        ['function_call_output', 'undefined'],
      ],
    ]);
    expect(model.requests().every(({ body }) => body['store'] === false)).toBe(true);
  });

  it('R50: its thoughts are on no page and in no log, and another model does not get them', async () => {
    const story = await stage().tell();
    const { ana, bot, model } = story;
    model.proposes(READ);
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    const thought = String(itemsOf(story, -1)[0]?.['encrypted_content']);
    expect(thought).toMatch(/^.{40,}$/);
    await stage().restart({ OPENAI_MODEL: 'another-model' });
    await ana.replies(bot.proposal(1), '/deny');
    await ana.says('/ask what now?');
    expect(model.requests().at(-1)?.model).toBe('another-model');
    expect(JSON.stringify(itemsOf(story, -1))).not.toContain(thought);
    const pages = stage().github.requests.map(({ body }) => JSON.stringify(body));
    expect([...pages, ...stage().logged].join('\n')).not.toContain(thought);
    await stage().restart();
  });

  it('R50: a run that began in Chat Completions goes on after the operator chose the other API, and back', async () => {
    await stage().restart({ OPENAI_API: 'chat' });
    const { ana, bot, model } = await stage().tell();
    model.says({ members: { reasoning_content: 'Hm.' }, calls: [READ] });
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    await stage().restart();
    model.proposes(edit('src/total.ts', '  let total = 0;\n', '  let total = BigInt(0);\n'));
    await ana.replies(bot.proposal(1), '/edit say why');
    await stage().restart({ OPENAI_API: 'chat' });
    await ana.replies(bot.proposal(2), '/approve');
    const apis = model.requests().map(({ body }) => (body['input'] === undefined ? 'chat' : 'responses'));
    expect(apis).toEqual(['chat', 'chat', 'responses', 'chat']);
    await stage().restart();
  });
});

describe('a model that takes tools only without reasoning in Chat Completions', () => {
  it('R50: works without reasoning there, and the log tells the operator what to set', async () => {
    await stage().restart({ OPENAI_API: 'chat', MODEL_REASONING_EFFORT: 'high' });
    stage().model.setRules({ noToolsBesideReasoning: true });
    const start = stage().logged.length;
    const { ana, bot, model } = await stage().tell();
    model.proposes(BIGINT);
    await ana.says('/countersign use bigint');
    expect(bot.proposals()).toHaveLength(1);
    expect(model.requests().map(({ body }) => body['reasoning_effort'])).toEqual(['high', 'none']);
    const lines = stage().logged.slice(start).map(parseJson).filter(isRecord);
    const warnings = lines.filter(({ level, msg }) => level === 40 && /OPENAI_API/.test(String(msg)));
    expect(warnings).toEqual([expect.objectContaining({ model: 'scripted' })]);
    await stage().restart();
  });
});
