import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_POSTED_BODY_BYTES } from '../../../../src/core/messages/markdown.ts';
import { renderSettingsChange } from '../../../../src/core/messages/settings-replies.ts';
import { NO_OPERATOR_SETTINGS, type OperatorSettings } from '../../../../src/core/settings/operator-file.ts';
import { compareSettings } from '../../../../src/core/settings/settings-change.ts';
import type { SettingsFileLookup } from '../../../../src/core/state/ports.ts';
import type { SettingsChange } from '../../../../src/core/state/settings.ts';

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
