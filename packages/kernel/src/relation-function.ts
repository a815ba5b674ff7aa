/** The table function that plans have for what `defineRelation` made; its one argument is the relation's name. */
export const RELATION_FUNCTION = 'defined_relation';
