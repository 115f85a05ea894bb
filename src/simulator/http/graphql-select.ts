import type { Values } from './graphql-check.ts';
import type { FieldNode, OperationNode, SelectionNode, ValueNode } from './graphql-document.ts';

/** A value of the graph: a scalar, an object, a list, or a field that takes arguments. */
export type GraphValue = string | number | boolean | null | GraphObject | readonly GraphValue[];
export type GraphField = GraphValue | ((args: Values) => GraphValue);
export type GraphObject = { readonly typeName: string; readonly fields: Readonly<Record<string, GraphField>> };

/** A refusal that a field gives while the answer is put together. */
export class GraphRefusal extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** Exactly the selected fields of an object, under their aliases. Throws a `GraphRefusal` a field gives. */
export function select(object: GraphObject, selections: readonly SelectionNode[], variables: Values): Values {
  const chosen: Record<string, unknown> = {};
  for (const selection of selections) {
    if (selection.kind === 'field') chosen[selection.alias] = fieldValue(object, selection, variables);
    else if (selection.on === object.typeName) Object.assign(chosen, select(object, selection.selections, variables));
  }
  return chosen;
}

function fieldValue(object: GraphObject, field: FieldNode, variables: Values): unknown {
  if (field.name === '__typename') return object.typeName;
  const found = object.fields[field.name];
  if (found === undefined) throw new Error(`The simulator gives no ${field.name} of ${object.typeName}.`);
  const value = typeof found === 'function' ? found(argumentsOf(field, variables)) : found;
  return shaped(value, field.selections, variables);
}

function shaped(value: GraphValue, selections: readonly SelectionNode[], variables: Values): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map((item) => shaped(item, selections, variables));
  return select(value, selections, variables);
}

function isList(value: GraphObject | readonly GraphValue[]): value is readonly GraphValue[] {
  return Array.isArray(value);
}

/** The arguments of a field as plain values. */
export function argumentsOf(field: FieldNode, variables: Values): Values {
  return Object.fromEntries([...field.args].map(([name, node]) => [name, plain(node, variables)]));
}

/** The variables with the defaults the operation declares. */
export function withDefaults(operation: OperationNode, variables: Values): Values {
  const defaults = operation.variables.flatMap(({ name, fallback }) =>
    fallback === undefined ? [] : [[name, plain(fallback, {})] as const],
  );
  return { ...Object.fromEntries(defaults), ...variables };
}

function plain(node: ValueNode, variables: Values): unknown {
  switch (node.kind) {
    case 'variable':
      return variables[node.name];
    case 'literal':
      return node.value;
    case 'list':
      return node.items.map((item) => plain(item, variables));
    case 'object':
      return Object.fromEntries([...node.fields].map(([name, value]) => [name, plain(value, variables)]));
  }
}
