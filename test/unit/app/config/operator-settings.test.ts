import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdOperatorSettings, loadOperatorConfig } from '../../../../src/app/config/operator-settings.ts';
import { scratchFolder } from '../../../support/scratch-folder.ts';

const folder = scratchFolder();

const path = join(folder, 'countersign.yml');
function load(text: string) {
  writeFileSync(path, text);
  const loaded = loadOperatorConfig(path, 'large');
  if (loaded.kind === 'problems') throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

describe('CONFIG_FILE', () => {
  it('that is broken when it is read again keeps the previous settings, with one error in the log (S127)', () => {
    const logged: unknown[] = [];
    const keep = (fields: object, message?: string) => void logged.push([message, fields]);
    const held = holdOperatorSettings(load('ceilings: {required_approvals: 2}\n'), {
      info: keep,
      error: keep,
    });
    const before = held.current();
    writeFileSync(path, 'ceilings: {required_approvals: two}\nexpiry: never\n');
    held.reload();
    expect(held.current()).toBe(before);
    expect(logged).toEqual([
      [
        'CONFIG_FILE is broken, the previous settings stay in force',
        { problems: [expect.stringContaining('line 1: '), expect.stringContaining('line 2: ')] },
      ],
    ]);
    rmSync(path);
    held.reload();
    expect(held.current()).toBe(before);
    // An editor or a copy empties the file before it writes it.
    writeFileSync(path, '');
    held.reload();
    expect(held.current()).toBe(before);
    expect(logged.pop()).toMatchObject([
      'CONFIG_FILE is broken, the previous settings stay in force',
      { problems: [expect.stringContaining('line 1: the file is empty')] },
    ]);
    writeFileSync(path, 'ceilings: {required_approvals: 3}\nmodels: [small]\nmodel: tiny\n');
    held.reload();
    expect(logged.pop()).toMatchObject([
      'CONFIG_FILE is broken, the previous settings stay in force',
      {
        problems: [expect.stringContaining('line 3: model must be one that the operator allows ("large" and "small")')],
      },
    ]);
    writeFileSync(path, 'ceilings: {required_approvals: 3}\nmodels: [small]\nstanding_approvals: off\n');
    held.reload();
    expect(held.current().ceilings).toEqual({ required_approvals: 3 });
    const changed = ['ceilings', 'models', 'standing_approvals'];
    expect(logged.slice(2)).toEqual([['CONFIG_FILE was read again', { path, changed }]]);
  });
});
