import { describe, expect, it, vi } from 'vitest';
import { rememberOutputs } from '../../../lab/simulation/world/offload.ts';
import { type Offload, OffloadError, offloadInline } from '../../../src/worker/offload/offload.ts';

const call = (name: string, args: object) => ({ id: 'call-1', name, arguments: JSON.stringify(args) });

const read = (path: string, text: string) => ({
  path,
  file: { ref: { blob: 'b', mode: '100644' as const }, bytes: Buffer.from(text) },
  repositoryName: 'shop',
});

function remembered(offload: Offload = offloadInline) {
  const computed = vi.fn(offload);
  return { computed, offload: rememberOutputs(computed) };
}

describe('outputs that the simulation remembers', () => {
  it('are those of the same computation of an equal input, also of bytes', async () => {
    const { computed, offload } = remembered();
    const first = await offload('buildRead', read('a.md', 'one\n'));
    expect(await offload('buildRead', read('a.md', 'one\n'))).toBe(first);
    expect(await offloadInline('buildRead', read('a.md', 'one\n'))).toEqual(first);
    expect(computed).toHaveBeenCalledTimes(1);
    await offload('buildRead', read('b.md', 'one\n'));
    await offload('buildRead', read('a.md', 'two\n'));
    await offload('buildDelete', read('a.md', 'two\n'));
    expect(computed).toHaveBeenCalledTimes(4);
  });

  it('can be null', async () => {
    const { computed, offload } = remembered();
    for (let time = 0; time < 2; time += 1)
      expect(await offload('findQueryProblem', { query: 'a+', regex: true, ignoreCase: false })).toBeNull();
    expect(computed).toHaveBeenCalledTimes(1);
  });

  it('are no failures', async () => {
    const { computed, offload } = remembered(() => Promise.reject(new OffloadError('timeout', 'too slow')));
    for (let time = 0; time < 2; time += 1)
      await expect(offload('parseCall', call('read_file', { path: 'a' }))).rejects.toThrow('too slow');
    expect(computed).toHaveBeenCalledTimes(2);
  });

  it('are not kept for long where inputs seldom repeat, and an input that no thread could receive fails', async () => {
    const { computed, offload } = remembered();
    const change = await offloadInline('buildRead', read('a.md', 'one\n'));
    const placement = { kind: 'file', path: 'a.md', reason: 'not-expressible' } as const;
    const edit = { change, proposed: change, placement, baseText: 'one\n', lines: ['two'] };
    const withCode = { ...edit, later: () => {} };
    await expect(offload('applyUserEdit', withCode)).rejects.toThrow('could not be cloned');
    for (let time = 0; time < 300; time += 1) await offload('applyUserEdit', edit);
    expect(computed.mock.calls.length).toBeGreaterThan(90);
  });

  it('are forgotten when there are many, the oldest first', async () => {
    const { computed, offload } = remembered();
    const parse = (path: number) => offload('parseCall', call('read_file', { path: `${path}.md` }));
    for (let path = 0; path <= 2_000; path += 1) await parse(path);
    computed.mockClear();
    await parse(2_000);
    await parse(1);
    expect(computed).not.toHaveBeenCalled();
    await parse(0);
    expect(computed).toHaveBeenCalledTimes(1);
  });
});
