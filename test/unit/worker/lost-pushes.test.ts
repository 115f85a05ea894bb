import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/core/step/model-port.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import { openVirtualApp } from './virtual-app.ts';

const USAGE = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

const EDIT = {
  id: 'one',
  name: 'edit_file',
  arguments: JSON.stringify({ path: 'a.txt', old_string: '1', new_string: '2' }),
};

/** Ben pushes over a change that waits for its approval. Returns what the model gets then, and what people see. */
async function pushInto(breakApp: (context: WorkerContext) => WorkerContext) {
  const requests: string[] = [];
  const ask: Model['ask'] = async (messages) => {
    requests.push(JSON.stringify(messages));
    const toolCalls = requests.length === 1 ? [EDIT] : [];
    return { content: 'So.', toolCalls, finishReason: 'stop', usage: USAGE };
  };
  const wrapContext = (context: WorkerContext) => breakApp({ ...context, model: { ...context.model, ask } });
  const app = openVirtualApp({ wrapContext });
  const pull = app.installedFor('acme').opens();
  const [ana, ben] = [pull.person('ana', 'write'), pull.person('ben', 'write')];
  app.pass(2_000);
  ana.says('/countersign change it');
  await app.runUntilIdle(app.now() + 60_000);
  ben.pushes({ 'a.txt': '3\n' });
  await app.runUntilIdle(app.now() + 3_600_000);
  return { request: requests[1] ?? 'none', logged: app.logged, comments: pull.appComments() };
}

describe('results that wait for what somebody pushed', () => {
  it('go to the model without it if reading it fails again and again (S140)', async () => {
    const { request, logged } = await pushInto((context) => ({
      ...context,
      offload: (name, input) => {
        if (name === 'selectDiffs' && JSON.stringify(input).includes('+3')) throw new TypeError('cannot select this');
        return context.offload(name, input);
      },
    }));
    expect(logged.map(({ message }) => message)).toContain('effect abandoned');
    expect(request).toContain('What it changed could not be read.');
    expect(request).toContain('Tool was not executed.');
  });

  it('go to the model without it if it becomes a dead letter, and people need not do anything (S140, G8)', async () => {
    const { request, logged, comments } = await pushInto((context) => ({
      ...context,
      store: {
        ...context.store,
        save: (claim, stored, ...step) => {
          const { signal } = stored;
          if (signal.type === 'push-read' && signal.content !== null) throw new TypeError('cannot store this');
          return context.store.save(claim, stored, ...step);
        },
      },
    }));
    expect(logged.map(({ message }) => message)).toContain('signal moved to dead letters');
    expect(request).toContain('What it changed could not be read.');
    expect(request).toContain('Tool was not executed.');
    expect(comments.join()).not.toContain('/stop` and start a new one');
  });
});
