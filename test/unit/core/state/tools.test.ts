import { describe, expect, it } from 'vitest';
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
});
