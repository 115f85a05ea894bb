import { expect, it } from 'vitest';
import { type GitHub, GitHubFault } from '../../src/worker/ports.ts';
import { openVirtualApp } from './virtual-app.ts';

const MINUTE = 60_000;
const USAGE = { input: 0, cachedInput: 0, output: 0 };
const CALL = { id: 'one', name: 'edit_file', arguments: '{"path":"a.txt","old_string":"1","new_string":"2"}' };

/** A change that waits for Ana, and a GitHub that commits nothing while `fault` is one. */
async function waiting() {
  const github: { fault: GitHubFault | null } = { fault: null };
  const app = openVirtualApp({
    bend: ({ model, githubs, ...context }) => ({
      ...context,
      model: {
        ...model,
        ask: async (messages, ...rest) =>
          messages.some(({ role }) => role === 'assistant')
            ? model.ask(messages, ...rest)
            : { content: null, calls: [CALL], finishReason: 'tool_calls', usage: USAGE },
      },
      githubs: {
        ...githubs,
        for: (...given) => {
          const one: GitHub = githubs.for(...given);
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
  const here = () => app.gateway.state().world.repositories.get(pull.ref.repositoryId)?.pulls.get(pull.ref.number);
  const later = (minutes: number) => app.playOn(app.now() + minutes * MINUTE);
  ana.says('@countersign do it');
  await later(1);
  const [thread = 0] = here()?.reviewComments.keys() ?? [];
  const inThread = () =>
    [...(here()?.reviewComments.values() ?? [])].filter(({ inReplyToId }) => inReplyToId === thread);
  const delays = () => inThread().filter(({ body }) => body.includes('could not be committed yet'));
  return { app, ana, here, later, thread, delays, github };
}

it('S87: a commit that GitHub does not take for half a minute is told of once, in the thread, and made in the end', async () => {
  const { app, ana, here, later, thread, delays, github } = await waiting();
  const before = here()?.head.sha;
  github.fault = new GitHubFault('bad gateway', 502, null);
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

it('S87, V4: until then a no withdraws it', async () => {
  const { ana, here, later, thread, github } = await waiting();
  const before = here()?.head.sha;
  github.fault = new GitHubFault('bad gateway', 502, null);
  ana.replies(thread, '/approve');
  await later(5);
  ana.replies(thread, '/deny');
  await later(1);
  github.fault = null;
  await later(30);
  expect(here()?.head.sha).toBe(before);
});

it('S87: one that waits for a limit of GitHub is not called delayed for that', async () => {
  const { app, ana, here, later, thread, delays, github } = await waiting();
  const before = here()?.head.sha;
  ana.replies(thread, '/approve');
  for (let tries = 0; tries < 12; tries += 1) {
    github.fault = new GitHubFault('wait', 429, app.now() + 10_000);
    await app.playOn(app.now() + 10_000);
  }
  expect(delays()).toEqual([]);
  github.fault = null;
  await later(1);
  expect(here()?.head.sha).not.toBe(before);
});
