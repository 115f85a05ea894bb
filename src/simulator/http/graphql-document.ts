/** A value in a document: written out, or the name of a variable. */
export type ValueNode =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly ValueNode[] }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, ValueNode> };

/** A selected field under the name the answer gives it. */
export type FieldNode = {
  readonly kind: 'field';
  readonly alias: string;
  readonly name: string;
  readonly args: ReadonlyMap<string, ValueNode>;
  readonly selections: readonly SelectionNode[];
};

export type SelectionNode =
  | FieldNode
  | { readonly kind: 'fragment'; readonly on: string; readonly selections: readonly SelectionNode[] };

/** A declared variable; `type` as it is written, `[ID!]!`. */
export type VariableNode = { readonly name: string; readonly type: string; readonly fallback: ValueNode | undefined };

/** The one operation of a document. */
export type OperationNode = {
  readonly kind: 'query' | 'mutation';
  readonly name: string | null;
  readonly variables: readonly VariableNode[];
  readonly selections: readonly SelectionNode[];
};

/** The first field of an operation: what the call is about. */
export function rootField(operation: OperationNode): string {
  const field = operation.selections.find((selection) => selection.kind === 'field');
  return field?.kind === 'field' ? field.name : '';
}
