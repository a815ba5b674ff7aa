/** Settings of one statement, in the order they were given. */
export type SettingPairs = readonly (readonly [name: string, value: string])[];
