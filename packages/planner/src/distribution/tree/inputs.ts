import type { Relation } from '../../relational/relation.ts';

/** The inputs of a relation, in the order in which their columns are numbered. */
export function inputsOf(relation: Relation): readonly Relation[] {
  switch (relation.kind) {
    case 'scan':
    case 'session':
    case 'input':
    case 'values':
    case 'reference':
      return [];
    case 'function':
      return relation.input === undefined ? [] : [relation.input];
    case 'join':
    case 'positional_join':
      return [relation.left, relation.right];
    case 'set':
      return relation.inputs;
    case 'shared':
      return [relation.definition, relation.body];
    case 'recursive':
      return [relation.anchor, relation.step];
    default:
      return [relation.input];
  }
}

/** The relation over other inputs with the same columns; the relation itself if the inputs are unchanged. */
export function withInputs(relation: Relation, inputs: readonly Relation[]): Relation {
  if (inputsOf(relation).every((input, i) => input === inputs[i])) return relation;
  const [first, second] = inputs as [Relation, Relation];
  switch (relation.kind) {
    case 'scan':
    case 'session':
    case 'input':
    case 'values':
    case 'reference':
      return relation;
    case 'join':
    case 'positional_join':
      return { ...relation, left: first, right: second };
    case 'set':
      return { ...relation, inputs };
    case 'shared':
      return { ...relation, definition: first, body: second };
    case 'recursive':
      return { ...relation, anchor: first, step: second };
    default:
      return { ...relation, input: first };
  }
}

/** Rebuilds a tree bottom-up. */
export function rebuild(relation: Relation, change: (relation: Relation) => Relation): Relation {
  return change(
    withInputs(
      relation,
      inputsOf(relation).map((input) => rebuild(input, change)),
    ),
  );
}

export function anyRelation(relation: Relation, test: (relation: Relation) => boolean): boolean {
  return test(relation) || inputsOf(relation).some((input) => anyRelation(input, test));
}
