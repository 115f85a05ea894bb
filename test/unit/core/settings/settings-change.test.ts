import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderSettings, renderSettingsChange } from '../../../../src/core/messages/settings-replies.ts';
import { MAX_POSTED_BODY_BYTES } from '../../../../src/core/messages/shared/markdown.ts';
import { NO_OPERATOR_SETTINGS, type OperatorSettings } from '../../../../src/core/settings/operator-file.ts';
import { groupSettings } from '../../../../src/core/settings/repo-settings.ts';
import { compareSettings } from '../../../../src/core/settings/settings-change.ts';
import { SettingsFileSchema } from '../../../../src/core/settings/settings-schema.ts';
import type { SettingsChange } from '../../../../src/core/state/settings.ts';
import type { SettingsFileLookup } from '../../../../src/core/step/ports.ts';

function file(text: string | null): SettingsFileLookup | null {
  return text === null ? null : { kind: 'file', bytes: new TextEncoder().encode(text) };
}

/** The change by a branch that is up to date. */
function changeOf(before: string | null, after: string | null, operator: OperatorSettings = NO_OPERATOR_SETTINGS) {
  return compareSettings({ current: file(before), base: file(before), head: file(after) }, operator);
}

const BOUNDED: OperatorSettings = { ...NO_OPERATOR_SETTINGS, ceilings: new Map<string, unknown>([['expiry', '5d']]) };

describe('the change of a settings file', () => {
  it('lists only settings whose value in force differs, wherever it comes from', () => {
    expect(changeOf('expiry: 7d\n', null).changed).toEqual([]);
    expect(changeOf('expiry: 6d\n', 'expiry: 9d\n', BOUNDED).changed).toEqual([]);
    expect(changeOf(null, 'sign_off: true\n').changed).toEqual([
      { kind: 'value', key: 'sign_off', source: 'repository', before: 'false', after: 'true', direction: 'stricter' },
    ]);
  });

  it('names a value that the operator’s bound replaces only if the branch set it', () => {
    const bounded = [{ key: 'expiry', wanted: '9d', inForce: '5d' }];
    expect(changeOf('expiry: 6d\n', 'expiry: 9d\n', BOUNDED).bounded).toEqual(bounded);
    expect(changeOf('expiry: 9d\n', 'expiry: 9d\nsign_off: true\n', BOUNDED).bounded).toEqual([]);
  });

  it('shows the entries of a list singly, and an order that changes', () => {
    const files = (...paths: readonly string[]) => `context_files: ${JSON.stringify(paths)}\n`;
    const list = { kind: 'list', key: 'context_files', source: 'repository' };
    expect(changeOf(files('a', 'b', 'b'), files('b', 'c')).changed).toEqual([
      { ...list, added: ['c'], removed: ['a', 'b'], isReordered: false },
    ]);
    expect(changeOf(files('a', 'b'), files('b', 'a')).changed).toEqual([
      { ...list, added: [], removed: [], isReordered: true },
    ]);
    const text = renderSettingsChange(changeOf(files('a', 'b', 'c'), files('b', 'a', '`@all`')), 'main');
    expect(text).toContain('`context_files`, from `.github/countersign.yml`:\n\n- added `` `@all` ``\n- removed `c`\n');
    expect(text).toContain('- The other entries get another order.');
  });

  it('keeps what only the default branch has changed since', () => {
    const files = {
      current: file('expiry: 1d\nsign_off: true\n'),
      base: file('expiry: 2d\n'),
      head: file('expiry: 3d\n'),
    };
    const { changed, isCombined } = compareSettings(files, NO_OPERATOR_SETTINGS);
    expect(changed.map(({ key }) => key)).toEqual(['expiry']);
    expect(isCombined).toBe(true);
  });

  it('counts lists of one key that several files add to as one', () => {
    const operator = { ...NO_OPERATOR_SETTINGS, defaults: new Map<string, unknown>([['context_files', ['a']]]) };
    expect(changeOf(null, 'context_files: [a, b]\n', operator).changed).toEqual([
      { kind: 'list', key: 'context_files', source: 'repository', added: ['b'], removed: [], isReordered: false },
    ]);
  });

  it('says that a broken file on the default branch is mended', () => {
    const text = renderSettingsChange(changeOf('broken: [\n', 'expiry: 7d\n'), 'main');
    expect(text).toContain('No setting in force changes.');
    expect(text).toContain('The file on `main` has problems now, so no approval takes effect until this is merged.');
  });

  it('shows long values where they differ', () => {
    const message = (end: string) => `commit_message: ${'a'.repeat(400)}${end}\n`;
    const text = renderSettingsChange(changeOf(message('b'), message('c')), 'main');
    expect(text).toContain(`| \`…${'a'.repeat(20)}b\` | \`…${'a'.repeat(20)}c\` |`);
  });

  it('is compared without an error and fits one comment, whatever the files hold', () => {
    const yaml = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 30 })
        .map((entries) => `context_files: ${JSON.stringify(entries)}`),
      fc.string({ unit: 'grapheme', maxLength: 400 }).map((text) => `commit_message: ${JSON.stringify(text)}`),
    );
    fc.assert(
      fc.property(fc.option(yaml), fc.option(yaml), fc.option(yaml), fc.string(), (current, base, head, branch) => {
        const change = compareSettings({ current: file(current), base: file(base), head: file(head) }, BOUNDED);
        const body = renderSettingsChange(change, branch);
        expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_POSTED_BODY_BYTES);
      }),
    );
  });

  it('fits one comment at its largest', () => {
    const entries = Array.from({ length: 100 }, (_, index) => `${index}${'\u{202E}'.repeat(500)}`);
    const list = { kind: 'list', source: 'repository', added: entries, removed: entries, isReordered: true } as const;
    const change: SettingsChange = {
      ...changeOf(null, 'sign_off: true\n'),
      changed: ['rules', 'require', 'protected_paths', 'context_files'].map((key) => ({ key, ...list })),
    };
    const body = renderSettingsChange(change, '\u{202E}'.repeat(200));
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_POSTED_BODY_BYTES);
    expect(body).toContain('- added 95 more');
  });
});

describe('the settings in force for people', () => {
  it('has every key in a group, and shows keys that no group names too', () => {
    const settings = [...Object.keys(SettingsFileSchema.shape), 'limits.turns', 'new_key'].map(
      (key) => ({ key, value: '1', source: 'default' }) as const,
    );
    const groups = groupSettings(settings);
    expect(groups.find(({ title }) => title === 'Other')?.settings.map(({ key }) => key)).toEqual(['new_key']);
    expect(groups.flatMap((group) => group.settings)).toHaveLength(settings.length);
  });

  it('fits one comment with lists of any size', () => {
    const value = JSON.stringify(Array.from({ length: 100 }, () => '\u{202E}'.repeat(500)));
    const settings = ['rules', 'require', 'protected_paths', 'context_files'].flatMap((key) => [
      { key, value, source: 'operator' } as const,
      { key, value, source: 'repository' } as const,
    ]);
    const body = renderSettings({ settings, problems: [] });
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_POSTED_BODY_BYTES - 1_000);
  });
});
