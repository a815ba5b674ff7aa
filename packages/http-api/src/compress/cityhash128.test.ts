import { expect, it } from 'vitest';
import { cityHash128 } from './cityhash128.ts';

/**
 * Values of CityHash 1.0.2 that other implementations publish, at least one for each branch of the function.
 */
const LONG =
  'nTsku!ix^+tIMHrn)SurHKS?,^I%(ADy*^ov(SVcfd*ggdOeOASxLREdxsj=UNfR,eYhG(xtc+se+ujaEwSzH N#oWM+wep-cNc=ODMAAyFagOv@he==bHf@.d_#*LmHJ*B#?DKiieAuPNi(=Ss nI, -wU)_Y_xl^u=*oujKa=N_,ppIO!uzap#?%GMn^%MajjJ+oudxjgDuzc*lv-K-';

it.each([
  ['', 4463240938071824939n, 4374473821787594281n],
  ['a', 15163964786936388304n, 18266194243813403894n],
  ['abc', 10380781289832139006n, 1416689273191665022n],
  ['abcd', 15137505341054233748n, 14767571255030181100n],
  ['Moscow', 3377444358654451565n, 2499202049363713365n],
  ['abcdefgh', 5450273043562147764n, 18090582611594380852n],
  ['0123456789@0123', 4226269686736976323n, 5069520701909446915n],
  ["0123456789'01234", 5376997234998077898n, 10566044557984082456n],
  ['0123456789=012345', 624285883343621191n, 8956332536468243975n],
  ['size:  a.out:  bad magic', 18153091936184608554n, 14295249992360344248n],
  ['F#j$PGh(bwY!L?G_,yENKTUIs*bxVRBQx(WtBBujnpuyqvCy', 17530270157315397113n, 15952888939106227725n],
  [
    'sV#Y#hGTM*X#CX?bMMTLq)NT*=nRQZlo-!,Rolu$(Df+LDz-j@P!PwnvKT)EkXVwzK,Sl=U,iZxpqNu+!Hnzk.B?Xq?xXiX+dVZoOlS.tGJA(*EhJ(OeUJ,Ga-OdN$ImLljQrD',
    17206144099322619745n,
    464392587896469222n,
  ],
  [
    'm@*JHxvgd-u$wEfQp)$JuOqJnXWGTmtqEvmoYLN?tSgZv+k)Xv?bbkVikR.OTP_J=)SNn?x+G_qFG.J,tR!pRvimfH^T)Uxakm@(EK,@BKRdHfCBIIKT%g)!ur+Da.*?iQDoIIR+Ld_Pp)',
    17519491539459137369n,
    5699150373426940466n,
  ],
  [LONG, 14361701975010885993n, 10638024156548231022n],
])('hashes %j', (text, low, high) => {
  expect(cityHash128(Buffer.from(text))).toEqual({ low, high });
  // The same bytes in the middle of a larger buffer must give the same hash.
  expect(cityHash128(Buffer.from(`<${text}>`).subarray(1, -1))).toEqual({ low, high });
});
