import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runConfig } from '../../../../src/cli/config/config.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const folder = scratchFolder();

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function run(...args: string[]) {
  const printed: string[][] = [[], []];
  const streams = [process.stdout, process.stderr].map((stream, at) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      printed[at]?.push(String(text));
      return true;
    }),
  );
  try {
    const code = await runConfig(args);
    const [out, err] = printed.map((texts) => texts.join(''));
    return { code, out, err };
  } finally {
    for (const stream of streams) stream.mockRestore();
  }
}

describe('countersign config', () => {
  it('a file’s name controls no terminal and adds no line', async () => {
    const { code, out } = await run('--check', file('e\u001B[31m\nf.yml', 'nothing: 1\n'));
    expect(code).toBe(1);
    expect(out).toMatch(/e\\u\{1B\}\[31m f\.yml has these problems:\n/);
  });

  it('lists every setting in force (S127)', async () => {
    const check = file('a.yml', 'approvers: admin\nrequired_approvals: 1\nstanding_approvals: glob\nmodel: large\n');
    const operator = file('o.yml', 'commands: prefixed\nceilings: {required_approvals: 2}\n');
    const { code, out, err } = await run('--check', check, '--operator', operator);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = (out ?? '').split('\n');
    for (const line of [
      'commands: prefixed',
      'approvers: admin',
      'required_approvals: 2',
      'model: large',
      'expiry: 7d',
    ])
      expect(lines).toContain(line);
  });

  it('ends with 1 if a file has problems, each with its line (S127)', async () => {
    const check = file('b.yml', 'approver: admin\n');
    const found = await run('--check', check);
    expect(found.code).toBe(1);
    expect(found.out).toContain(`${check} has these problems:\n- line 1: approver is not a setting; the settings are `);
    const operator = file('p.yml', 'ceilings:\n  commands: short\n');
    expect(await run('--operator', operator)).toMatchObject({
      code: 1,
      out: expect.stringContaining('- line 2: ceilings.commands is not'),
    });
  });

  it('ends with 2 for wrong options and for files that cannot be read', async () => {
    expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining('--check needs a settings file.') });
    expect(await run('--chekc', 'x')).toMatchObject({ code: 2, out: '' });
    expect(await run('--check', join(folder, 'none.yml'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('ENOENT'),
    });
    expect(await run('--check', folder)).toMatchObject({ code: 1, out: expect.stringContaining('is not a file') });
    expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('Usage: countersign config') });
  });
});
