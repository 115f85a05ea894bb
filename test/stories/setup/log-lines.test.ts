import { afterEach, describe, expect, it } from 'vitest';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { stageForAll } from '../support/open-and-close.ts';
import { proposeRows } from '../support/rows.ts';

const stage = stageForAll({ environment: { LOG_LEVEL: 'debug' } });

afterEach(() => stage().github.faults.clear());

type Line = Readonly<Record<string, unknown>>;

/** The lines since `from` with this message. */
function lines(message: string, from = 0): readonly Line[] {
  return stage()
    .logged.slice(from)
    .map(parseJson)
    .filter((line) => isRecord(line))
    .filter((line) => line['msg'] === message);
}

const INFO = 30;

const DEBUG = 20;

describe('the log', () => {
  it('names repository, pull request, run, proposal, person and delivery of each decision, with its time (O12)', async () => {
    const { pr, ana, bot, stored } = await proposeRows(stage(), { 5: 50 });
    const before = stage().logged.length;
    await ana.replies(bot.proposal(1), '/approve');
    const { run, proposals } = await stored();
    const place = { repo: pr.fullName, pr: pr.number };
    const [proposal] = proposals;
    const [delivery] = lines('delivery', before).filter(({ intent }) => intent !== undefined);
    expect(delivery).toMatchObject({ ...place, level: INFO, user: ana.login, intent: 'comment', outcome: 'stored' });
    const [decided, ...later] = lines('decided', before);
    expect(decided).toMatchObject({
      ...{ ...place, run: run?.id, proposal: proposal?.id, user: ana.login, reason: 'approved' },
      ...{ delivery: delivery?.['delivery'], signal: 'intent', ms: expect.any(Number) },
    });
    expect(later.length).toBeGreaterThan(1);
    for (const line of later) expect(line).toMatchObject({ ...place, run: run?.id, ms: expect.any(Number) });
    for (const line of lines('effect performed', before))
      expect(line).toMatchObject({ ...place, run: run?.id, effect: expect.any(String), ms: expect.any(Number) });
    expect(lines('effect performed', before).map(({ effect }) => effect)).toContain('commit');
  });

  it('has one line for each request to GitHub and to the model at the level debug, without any content (O12)', async () => {
    const [before, sent] = [stage().logged.length, stage().github.requests.length];
    const { pr, ana, bot, model } = await proposeRows(stage(), { 5: 50 });
    await ana.replies(bot.proposal(1), '/approve');
    const requests = lines('GitHub request', before);
    expect(requests).toHaveLength(stage().github.requests.length - sent);
    for (const line of requests)
      expect(line).toMatchObject({ level: DEBUG, status: expect.any(Number), ms: expect.any(Number) });
    const routes = requests.map(({ method, route }) => `${method} ${route}`);
    expect(routes).toContain('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews');
    expect(routes).toContain('POST /graphql commit');
    expect(routes.join()).not.toContain(pr.fullName);
    const ofPull = requests.filter(({ route }) => String(route).startsWith('/repos/'));
    for (const line of ofPull) expect(line).toMatchObject({ repo: pr.fullName, pr: pr.number });
    expect(ofPull.at(-1)?.['quotaLeft']).toEqual(expect.any(Number));
    const asked = lines('model request', before);
    expect(asked).toHaveLength(model.requests().length);
    for (const line of asked)
      expect(line).toMatchObject({
        repo: pr.fullName,
        effect: 'ask-model',
        outcome: 'done',
        inputTokens: expect.any(Number),
      });
  });

  it('has one line for the start and one for the end of a GitHub outage, without a stack for any attempt (O13)', async () => {
    const { ana, bot } = await proposeRows(stage(), { 5: 50 });
    const before = stage().logged.length;
    stage().github.faults.add({ kind: 'fail-before-apply', status: 502, route: '*', times: 4 });
    await ana.replies(bot.proposal(1), '/approve');
    for (let minute = 0; minute < 4; minute += 1) await stage().later(60);
    expect(lines('GitHub unavailable', before)).toHaveLength(1);
    expect(lines('GitHub available again', before)).toMatchObject([{ ms: expect.any(Number) }]);
    expect(lines('GitHub request', before).filter(({ status }) => status === 502)).toHaveLength(4);
    expect(stage().logged.slice(before).join('')).not.toContain('"stack"');
    expect(bot.proposal(1).body).toContain('**Completed:** applied');
  });
});
