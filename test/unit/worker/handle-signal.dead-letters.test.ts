import { describe, expect, it } from 'vitest';
import type { GitHubApp } from '../../../src/core/step/ports.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import { type Line, openVirtualApp, type VirtualApp } from './virtual-app.ts';

/** An App with an internal error at every request for this person's permission. */
function breaksAt(login: string): VirtualApp {
  const wrapContext = (context: WorkerContext): WorkerContext => {
    const githubApp: GitHubApp = {
      ...context.githubApp,
      forPull(ref) {
        const github = context.githubApp.forPull(ref);
        return {
          ...github,
          fetchPermission: (who) => {
            if (who === login) throw new TypeError('cannot read what is not there');
            return github.fetchPermission(who);
          },
        };
      },
    };
    return { ...context, githubApp };
  };
  return openVirtualApp({ wrapContext });
}

function deadLetterLines(app: VirtualApp): readonly Line[] {
  return app.logged.filter(({ message }) => message === 'signal moved to dead letters');
}

describe('a comment that causes an internal error (G8)', () => {
  it('moves to the dead letters after five attempts, and a reply shows the error id of the log', async () => {
    const app = breaksAt('poison');
    const pull = app.installedFor('acme').opens();
    pull.person('poison').says('@countersign do it');
    await app.runUntilIdle();
    const tries = app.logged.filter(({ message }) => message === 'signal failed, will retry');
    expect(tries).toHaveLength(4);
    const [line] = deadLetterLines(app);
    expect(deadLetterLines(app)).toHaveLength(1);
    expect(line).toMatchObject({ level: 'error', fields: { err: expect.any(TypeError), errorId: expect.any(String) } });
    expect(pull.appComments()).toHaveLength(1);
    expect(pull.appComments()[0]).toContain(`\`${Object(line?.fields).errorId}\``);
    expect(pull.appComments()[0]).toContain('Please post it again');
  });

  it('blocks neither other comments on the pull request nor another pull request', async () => {
    const app = breaksAt('poison');
    const shop = app.installedFor('acme');
    const [first, second] = [shop.opens(), shop.opens()];
    first.person('poison').says('@countersign do it');
    first.person('passer-by').says('@countersign and me?');
    second.person('visitor').says('@countersign and me?');
    const begun = app.now();
    await app.settle();
    expect(second.appComments()).toHaveLength(1);
    await app.runUntilIdle();
    expect(first.appComments().filter((body) => body.includes('Sorry, passer-by'))).toHaveLength(1);
    expect(app.now() - begun).toBeLessThan(20_000);
  });

  it('gets no reply if it is not for the App and there was no run', async () => {
    const app = openVirtualApp({
      wrapContext: (context) => ({
        ...context,
        isServedOwner: () => {
          throw new TypeError('broken');
        },
      }),
    });
    const pull = app.installedFor('acme').opens();
    await app.runUntilIdle();
    const ofOpening = deadLetterLines(app).length;
    pull.person('visitor').says('/approve');
    await app.runUntilIdle();
    expect(deadLetterLines(app)).toHaveLength(ofOpening + 1);
    expect(pull.appComments()).toEqual([]);
  });
});

describe('attempts that failed because of GitHub', () => {
  it('do not count toward the dead letters (S87, G8)', async () => {
    let broken = 0;
    const app = openVirtualApp({
      wrapContext: (context) => ({
        ...context,
        store: { ...context.store, load: (...given) => load(context, ...given) },
      }),
    });
    /** A short database outage right after GitHub is back. */
    const load: (
      context: WorkerContext,
      ...given: Parameters<WorkerContext['store']['load']>
    ) => ReturnType<WorkerContext['store']['load']> = async ({ store }, ...given) => {
      broken += app.gateway.faults.pending().length === 0 ? 1 : 0;
      if (broken === 1) throw new Error('the database went away');
      return store.load(...given);
    };
    const pull = app.installedFor('acme').opens();
    const permission = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
    app.gateway.faults.add({ kind: 'fail-before-apply', status: 502, route: permission, times: 12 });
    pull.person('visitor').says('@countersign do it');
    await app.runUntilIdle();
    expect(broken).toBeGreaterThan(1);
    expect(deadLetterLines(app)).toEqual([]);
    expect(pull.appComments()).toHaveLength(1);
  });
});

describe('an effect with a repeated internal error (G8)', () => {
  it('ends the run with the error id instead of blocking it forever', async () => {
    const app = openVirtualApp({
      wrapContext: (context) => ({
        ...context,
        store: {
          ...context.store,
          loadTranscript: () => {
            throw new TypeError('cannot read what is not there');
          },
        },
      }),
    });
    const pull = app.installedFor('acme').opens();
    app.pass(2_000);
    pull.person('ana', 'write').says('/countersign look at it');
    await app.runUntilIdle();
    const [line] = app.logged.filter(({ message }) => message === 'effect abandoned');
    expect(line).toMatchObject({ level: 'error', fields: { err: expect.any(TypeError), effect: 'ask-model' } });
    expect(pull.appComments().at(-1)).toContain('because of an internal error');
    expect(pull.appComments().at(-1)).toContain(Object(line?.fields).errorId);
    const tries = app.logged.filter(({ message }) => message === 'effect failed, will retry');
    expect(tries).toHaveLength(11);
  });
});
