import { describe, expect, it } from 'vitest';
import { parseCall } from '../../../../src/core/agent/tools/parse-call.ts';
import { TOOL_NAMES, TOOLS, toolDefinitions } from '../../../../src/core/state/tools.ts';

describe('toolDefinitions', () => {
  it('describes every tool with a schema that allows no other keys (S1, S1a)', () => {
    const definitions = toolDefinitions();
    expect(definitions.map(({ name }) => name)).toEqual(Object.keys(TOOLS));
    expect(TOOL_NAMES).toEqual(Object.keys(TOOLS));
    for (const { parameters } of definitions)
      expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
    expect(definitions[0]?.parameters).toMatchObject({
      required: ['path'],
      properties: {
        replace_all: { type: 'boolean' },
        edits: { items: { required: ['old_string', 'new_string'], additionalProperties: false } },
        reason: { type: 'string' },
      },
    });
  });

  it('R51: sends no limit of repetitions above 1,000, which servers with grammars refuse, and keeps the others', () => {
    const sent = JSON.stringify(toolDefinitions());
    const limits = [...sent.matchAll(/"(?:min|max)(?:Length|Items)":(\d+)/g)].map(([, limit]) => Number(limit));
    expect(limits.filter((limit) => limit > 1_000)).toEqual([]);
    expect(limits).toContain(200);
  });

  it('R51: a limit that is not sent is named in the refusal of a call', () => {
    const text = JSON.stringify({ prompt: 'x'.repeat(2_001), input_type: 'text' });
    expect(parseCall({ name: 'ask_user', arguments: text })).toMatchObject({
      kind: 'refused',
      output: expect.stringContaining('prompt must be at most 2000 characters'),
    });
  });
});
