import { expect, it } from 'vitest';
import { type GitHub, GitHubError } from '../../../../src/core/step/ports.ts';
import { openVirtualApp } from '../virtual-app.ts';

const MINUTE = 60_000;

const USAGE = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

const CALL = { id: 'one', name: 'edit_file', arguments: '{"path":"a.txt","old_string":"1","new_string":"2"}' };

/** A change that is pending for ana, and a GitHub that refuses commits while `fault` is set. */
async function waiting() {
  const github: { fault: GitHubError | null } = { fault: null };
  const app = openVirtualApp({
    wrapContext: ({ model, githubApp, ...context }) => ({
      ...context,
      model: {
        ...model,
        ask: async (messages, ...rest) =>
          messages.some(({ role }) => role === 'assistant')
            ? model.ask(messages, ...rest)
            : { content: null, toolCalls: [CALL], finishReason: 'tool_calls', usage: USAGE },
      },
      githubApp: {
        ...githubApp,
        forPull: (...given) => {
          const one: GitHub = githubApp.forPull(...given);
          return {
            ...one,
            commit: (plan) => (github.fault === null ? one.commit(plan) : Promise.reject(github.fault)),
          };
        },
      },
    }),
  });
  const pull = app.installedFor('acme').opens();
  const ana = pull.person('ana', 'write');
  const here = () =>
    app.gateway.serverState().github.repositories.get(pull.ref.repositoryId)?.pulls.get(pull.ref.number);
  const later = (minutes: number) => app.runUntilIdle(app.now() + minutes * MINUTE);
  ana.says('@countersign do it');
  await later(1);
  const [thread = 0] = here()?.reviewComments.keys() ?? [];
  const inThread = () =>
    [...(here()?.reviewComments.values() ?? [])].filter(({ inReplyToId }) => inReplyToId === thread);
  const delays = () => inThread().filter(({ body }) => body.includes('not committed yet'));
  return { app, ana, here, later, thread, delays, github };
}

it('a commit that GitHub refuses for 30 s is announced once in the thread and succeeds later (S87)', async () => {
  const { app, ana, here, later, thread, delays, github } = await waiting();
  const before = here()?.head.sha;
  github.fault = new GitHubError('bad gateway', 502, null);
  ana.replies(thread, '/approve');
  await app.settle();
  expect(delays()).toEqual([]);
  await later(1);
  expect(delays()).toHaveLength(1);
  await later(60);
  expect(delays()).toHaveLength(1);
  expect(here()?.head.sha).toBe(before);
  github.fault = null;
  await later(10);
  expect(here()?.head.sha).not.toBe(before);
  expect(delays()).toHaveLength(1);
});

it('a commit held back by a rate limit is not announced as delayed (S87)', async () => {
  const { app, ana, here, later, thread, delays, github } = await waiting();
  const before = here()?.head.sha;
  ana.replies(thread, '/approve');
  for (let tries = 0; tries < 12; tries += 1) {
    github.fault = new GitHubError('wait', 429, app.now() + 10_000);
    await app.runUntilIdle(app.now() + 10_000);
  }
  expect(delays()).toEqual([]);
  github.fault = null;
  await later(1);
  expect(here()?.head.sha).not.toBe(before);
});
