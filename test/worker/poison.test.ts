import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/worker/context.ts';
import type { GitHubs } from '../../src/worker/ports.ts';
import { type Line, openVirtualApp, type VirtualApp } from './virtual-app.ts';

/** An App that breaks whenever it asks what this person may do. */
function breaksAt(login: string): VirtualApp {
  const bend = (context: Context): Context => {
    const githubs: GitHubs = {
      ...context.githubs,
      for(ref) {
        const github = context.githubs.for(ref);
        return {
          ...github,
          permission: (who) => {
            if (who === login) throw new TypeError('cannot read what is not there');
            return github.permission(who);
          },
        };
      },
    };
    return { ...context, githubs };
  };
  return openVirtualApp({ bend });
}

function putAside(app: VirtualApp): readonly Line[] {
  return app.logged.filter(({ message }) => message === 'a signal was put aside');
}

describe('G8: words that the App cannot read without breaking', () => {
  it('are put aside after five tries, and one comment says so with the id that the log has', async () => {
    const app = breaksAt('poison');
    const pull = app.installedFor('acme').opens();
    pull.person('poison').says('@countersign do it');
    await app.playOn();
    const tries = app.logged.filter(({ message }) => message === 'a signal could not be decided yet');
    expect(tries).toHaveLength(4);
    const [line] = putAside(app);
    expect(putAside(app)).toHaveLength(1);
    expect(line).toMatchObject({ level: 'error', fields: { err: expect.any(TypeError), fault: expect.any(String) } });
    expect(pull.said()).toHaveLength(1);
    expect(pull.said()[0]).toContain(`\`${Object(line?.fields).fault}\``);
    expect(pull.said()[0]).toContain('Write the comment once more.');
  });

  it('hold up neither what others say on the same pull request nor another one', async () => {
    const app = breaksAt('poison');
    const shop = app.installedFor('acme');
    const [first, second] = [shop.opens(), shop.opens()];
    first.person('poison').says('@countersign do it');
    first.person('passer-by').says('@countersign and me?');
    second.person('visitor').says('@countersign and me?');
    const begun = app.now();
    await app.settle();
    expect(second.said()).toHaveLength(1);
    await app.playOn();
    expect(first.said().filter((body) => body.includes('Sorry, passer-by'))).toHaveLength(1);
    expect(app.now() - begun).toBeLessThan(20_000);
  });

  it('are answered on ten comments at most, however many there are', async () => {
    const app = breaksAt('poison');
    const pull = app.installedFor('acme').opens();
    const poison = pull.person('poison');
    for (let count = 0; count < 14; count += 1) poison.says('@countersign do it');
    await app.playOn();
    expect(putAside(app)).toHaveLength(14);
    expect(new Set(pull.said()).size).toBe(10);
  });

  it('get no answer where they were meant for nobody and there never was a run', async () => {
    const app = openVirtualApp({
      bend: (context) => ({
        ...context,
        serves: () => {
          throw new TypeError('broken');
        },
      }),
    });
    const pull = app.installedFor('acme').opens();
    pull.person('visitor').says('/approve');
    await app.playOn();
    expect(putAside(app)).toHaveLength(1);
    expect(pull.said()).toEqual([]);
  });
});

describe('tries that GitHub stopped', () => {
  it('S87, G8: bring no signal nearer to being put aside', async () => {
    let broken = 0;
    const app = openVirtualApp({
      bend: (context) => ({ ...context, store: { ...context.store, load: (...given) => load(context, ...given) } }),
    });
    /** The database goes away for a moment, right after GitHub came back. */
    const load: (
      context: Context,
      ...given: Parameters<Context['store']['load']>
    ) => ReturnType<Context['store']['load']> = async ({ store }, ...given) => {
      broken += app.gateway.faults.waiting().length === 0 ? 1 : 0;
      if (broken === 1) throw new Error('the database went away');
      return store.load(...given);
    };
    const pull = app.installedFor('acme').opens();
    const permission = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
    app.gateway.faults.add({ kind: 'before', status: 502, on: permission, times: 12 });
    pull.person('visitor').says('@countersign do it');
    await app.playOn();
    expect(broken).toBeGreaterThan(1);
    expect(putAside(app)).toEqual([]);
    expect(pull.said()).toHaveLength(1);
  });
});

describe('G8: work of a run that breaks each time', () => {
  it('ends the run with the fault’s id, instead of leaving it for ever', async () => {
    const app = openVirtualApp({
      bend: (context) => ({
        ...context,
        store: {
          ...context.store,
          transcript: () => {
            throw new TypeError('cannot read what is not there');
          },
        },
      }),
    });
    const pull = app.installedFor('acme').opens();
    app.pass(2_000);
    pull.person('ana', 'write').says('/countersign look at it');
    await app.playOn();
    const [line] = app.logged.filter(({ message }) => message === 'an effect was given up');
    expect(line).toMatchObject({ level: 'error', fields: { err: expect.any(TypeError), effect: 'ask-model' } });
    expect(pull.said().at(-1)).toContain('went wrong in Countersign itself');
    expect(pull.said().at(-1)).toContain(Object(line?.fields).fault);
    const tries = app.logged.filter(({ message }) => message === 'an effect will be tried again');
    expect(tries).toHaveLength(11);
  });
});
