/** Words with their weights, in the order in which dbgen sums the weights. */
export type WeightedWords = readonly (readonly [weight: number, words: string])[];

/** The parts of speech of which comments consist (clause 4.2.2.14). The misspellings are dbgen's. */
export const SPEECH = {
  nouns: [
    [40, 'packages,requests,accounts,deposits'],
    [20, 'foxes,ideas,theodolites,pinto beans,instructions'],
    [10, 'dependencies,excuses,platelets,asymptotes'],
    [5, 'courts,dolphins'],
    [
      1,
      'multipliers,sauternes,warthogs,frets,dinos,attainments,somas,Tiresias,patterns,forges,braids,frays,warhorses,dugouts,notornis,epitaphs,pearls,tithes,waters,orbits,gifts,sheaves,depths,sentiments,decoys,realms,pains,grouches,escapades,hockey players',
    ],
  ],
  verbs: [
    [20, 'sleep,wake,are,cajole,haggle'],
    [10, 'nag,use,boost'],
    [5, 'affix,detect,integrate'],
    [
      1,
      'maintain,nod,was,lose,sublate,solve,thrash,promise,engage,hinder,print,x-ray,breach,eat,grow,impress,mold,poach,serve,run,dazzle,snooze,doze,unwind,kindle,play,hang,believe,doubt',
    ],
  ],
  adjectives: [
    [20, 'special,pending,unusual,express'],
    [
      1,
      'furious,sly,careful,blithe,quick,fluffy,slow,quiet,ruthless,thin,close,dogged,daring,brave,stealthy,permanent,enticing,idle,busy',
    ],
    [50, 'regular'],
    [40, 'final,ironic'],
    [30, 'even'],
    [20, 'bold'],
    [10, 'silent'],
  ],
  adverbs: [
    [1, 'sometimes,always,never'],
    [50, 'furiously,slyly,carefully'],
    [40, 'blithely'],
    [30, 'quickly'],
    [20, 'fluffily'],
    [
      1,
      'slowly,quietly,ruthlessly,thinly,closely,doggedly,daringly,bravely,stealthily,permanently,enticingly,idly,busily,regularly,finally,ironically,evenly,boldly,silently',
    ],
  ],
  prepositions: [
    [50, 'about,above,according to,across,after'],
    [40, 'against,along'],
    [30, 'alongside of,among'],
    [20, 'around'],
    [10, 'at'],
    [
      1,
      'atop,before,behind,beneath,beside,besides,between,beyond,by,despite,during,except,for,from,in place of,inside,instead of,into,near,of,on,outside,over,past,since,through,throughout,to,toward,under,until,up,upon,whithout,with,within',
    ],
  ],
  auxiliaries: [
    [
      1,
      'do,may,might,shall,will,would,can,could,should,ought to,must,will have to,shall have to,could have to,should have to,must have to,need to,try to',
    ],
  ],
  terminators: [
    [50, '.'],
    [1, ';,:,?,!,--'],
  ],
} as const satisfies Record<string, WeightedWords>;

export const COLORS: readonly string[] =
  'almond antique aquamarine azure beige bisque black blanched blue blush brown burlywood burnished chartreuse chiffon chocolate coral cornflower cornsilk cream cyan dark deep dim dodger drab firebrick floral forest frosted gainsboro ghost goldenrod green grey honeydew hot indian ivory khaki lace lavender lawn lemon light lime linen magenta maroon medium metallic midnight mint misty moccasin navajo navy olive orange orchid pale papaya peach peru pink plum powder puff purple red rose rosy royal saddle salmon sandy seashell sienna sky slate smoke snow spring steel tan thistle tomato turquoise violet wheat white yellow'.split(
    ' ',
  );

export const REGIONS: readonly string[] = ['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'];

export const NATIONS: readonly (readonly [name: string, region: number])[] = [
  ['ALGERIA', 0],
  ['ARGENTINA', 1],
  ['BRAZIL', 1],
  ['CANADA', 1],
  ['EGYPT', 4],
  ['ETHIOPIA', 0],
  ['FRANCE', 3],
  ['GERMANY', 3],
  ['INDIA', 2],
  ['INDONESIA', 2],
  ['IRAN', 4],
  ['IRAQ', 4],
  ['JAPAN', 2],
  ['JORDAN', 4],
  ['KENYA', 0],
  ['MOROCCO', 0],
  ['MOZAMBIQUE', 0],
  ['PERU', 1],
  ['CHINA', 2],
  ['ROMANIA', 3],
  ['SAUDI ARABIA', 4],
  ['VIETNAM', 2],
  ['RUSSIA', 3],
  ['UNITED KINGDOM', 3],
  ['UNITED STATES', 1],
];

export const SEGMENTS: readonly string[] = ['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY'];
export const PRIORITIES: readonly string[] = ['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECIFIED', '5-LOW'];
export const INSTRUCTIONS: readonly string[] = [
  'DELIVER IN PERSON',
  'COLLECT COD',
  'TAKE BACK RETURN',
  'NONE',
];
export const MODES: readonly string[] = ['REG AIR', 'AIR', 'RAIL', 'TRUCK', 'MAIL', 'FOB', 'SHIP'];

export const CONTAINERS: readonly string[] = combine(
  ['SM', 'LG', 'MED', 'JUMBO', 'WRAP'],
  ['CASE', 'BOX', 'BAG', 'JAR', 'PACK', 'PKG', 'CAN', 'DRUM'],
);

export const TYPES: readonly string[] = combine(
  ['STANDARD', 'SMALL', 'MEDIUM', 'LARGE', 'ECONOMY', 'PROMO'],
  ['ANODIZED', 'BURNISHED', 'PLATED', 'POLISHED', 'BRUSHED'],
  ['TIN', 'NICKEL', 'BRASS', 'STEEL', 'COPPER'],
);

/** All combinations of one syllable of each list; the last syllable changes fastest. */
function combine(...lists: readonly (readonly string[])[]): string[] {
  return lists.reduce<string[]>(
    (texts, list) => texts.flatMap((text) => list.map((word) => (text === '' ? word : `${text} ${word}`))),
    [''],
  );
}
