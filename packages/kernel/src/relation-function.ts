/**
 * The table function that appears in plans for relations of `defineRelation`; its only argument is the
 * relation's name.
 */
export const RELATION_FUNCTION = 'defined_relation';
