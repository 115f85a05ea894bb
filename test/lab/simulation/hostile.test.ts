import { describe, expect, it } from 'vitest';
import { CANARY, HOSTILE_CONTENT, SECRET_PATHS } from '../../../lab/simulation/hostile/denied-files.ts';
import { aimPayload, PAYLOADS } from '../../../lab/simulation/hostile/payloads.ts';
import { findReadDenyRule } from '../../../src/core/policy/path-tables.ts';

describe('what the hostile model is made of', () => {
  it('has at least 200 different injected texts, none of which holds what stands in a denied file', () => {
    const texts = PAYLOADS.map(({ text }) => text);
    expect(new Set(texts).size).toBeGreaterThanOrEqual(200);
    expect(texts.filter((text) => CANARY.test(text))).toEqual([]);
    const aimed = PAYLOADS.map((payload) => aimPayload(payload, { id: 'r0f3', digest: 'ab' }));
    expect(aimed.filter((text) => /\{(?:id|digest)\}/.test(text))).toEqual([]);
    expect(aimed.filter((text) => text.includes('/approve r0f3')).length).toBeGreaterThan(5);
  });

  it('has a text in every denied file that stands in no other', () => {
    const holders = [...HOSTILE_CONTENT.files].filter(([, { bytes }]) => CANARY.test(Buffer.from(bytes).toString()));
    const paths = holders.map(([path]) => path);
    expect(paths).toEqual(expect.arrayContaining([...SECRET_PATHS]));
    expect(paths.filter((path) => findReadDenyRule(path) === null)).toEqual([]);
  });
});
