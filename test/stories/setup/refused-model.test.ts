import { describe, expect, it } from 'vitest';
import type { ScriptedFault } from '../../../fakes/model/script.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { BIGINT } from '../support/proposals.ts';

const stage = stageForAll();

/** The logged lines with this message since a time in the log. */
function failuresSince(start: number): readonly Readonly<Record<string, unknown>>[] {
  return stage()
    .logged.slice(start)
    .map(parseJson)
    .filter(isRecord)
    .filter(({ msg }) => msg === 'model request failed');
}

async function metrics(): Promise<string> {
  return (await fetch(`${stage().server().url}/metrics`)).text();
}

function refusal(status: number, message: string): ScriptedFault {
  return { fault: 'status', status, body: { error: { message, type: 'invalid_request_error', code: null } } };
}

describe('an endpoint that refuses the model', () => {
  it.each([
    ['a wrong key', refusal(401, 'Incorrect API key provided: model-key'), 'key-rejected', /OPENAI_API_KEY/],
    ['a wrong model', refusal(404, 'The model `scripted` does not exist'), 'model-unknown', /OPENAI_MODEL/],
    ['a model without tools', refusal(400, 'tools are not supported'), 'no-tools', /can call tools/],
  ] as const)('%s is logged in one line, with the fix and the endpoint’s message (O4, O14, S166)', async (...row) => {
    const [_, fault, failure, fix] = row;
    const start = stage().logged.length;
    const { ana, bot } = await stage().tell();
    stage().model.script(fault);
    await ana.says('/countersign use bigint');
    expect(bot.answer()).toContain('the model gave no usable answer');
    expect(failuresSince(start)).toEqual([
      expect.objectContaining({
        level: 40,
        endpoint: new URL(stage().model.url).host,
        model: 'scripted',
        failure,
        status: fault.fault === 'status' ? fault.status : 0,
        code: null,
        type: 'invalid_request_error',
        requestId: null,
        said: expect.stringMatching(/Incorrect API key provided: \[key\]|does not exist|tools are not supported/),
        fix: expect.stringMatching(fix),
        suppressed: 0,
      }),
    ]);
    expect(await metrics()).toContain('countersign_model_up 0');
  });

  it('O13: an endpoint that fails and answers again is one line for each, with how long it lasted', async () => {
    await stage().restart();
    const { ana } = await stage().tell();
    const start = stage().logged.length;
    stage().model.script(refusal(401, 'Incorrect API key provided'));
    await ana.says('/countersign use bigint');
    stage().pass(30);
    for (let times = 0; times < 2; times += 1) await ana.says('/ask why?');
    expect(failuresSince(start)).toHaveLength(1);
    const again = stage()
      .logged.slice(start)
      .map(parseJson)
      .filter((line) => isRecord(line) && line['msg'] === 'the model answers again');
    expect(again).toEqual([expect.objectContaining({ level: 30, ms: expect.any(Number) })]);
    expect(again).toMatchObject([{ endpoint: new URL(stage().model.url).host }]);
  });

  it('a dead endpoint leaves at most one line a minute, and its end is visible in the metrics (O14)', async () => {
    await stage().restart({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
    const start = stage().logged.length;
    const { ana } = await stage().tell();
    await ana.says('/countersign use bigint');
    await stage().later(30);
    expect(failuresSince(start)).toMatchObject([
      {
        failure: 'unreachable',
        endpoint: '127.0.0.1:9',
        status: null,
        fix: expect.stringContaining('OPENAI_BASE_URL'),
      },
    ]);
    await ana.says('/stop');
    await stage().restart();
    const second = await stage().tell();
    second.model.proposes(BIGINT);
    await second.ana.says('/countersign use bigint');
    expect(await metrics()).toContain('countersign_model_up 1');
  });
});
