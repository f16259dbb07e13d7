#line 11 "attack.cpp"
// clang-format off
#include <headway/tensor.hpp>

using headway::Index;
using headway::Tensor;

void attack() {
    const Tensor s = Tensor::zeros({4, 4});
    const Index T = 4, run = 3;
    for (Index t = 0; t < T; t += run) {
#if 0
        e0 = t + run; e1 = t + run; e2 = t + run; e3 = t + run; e4 = t + run; e5 = t + run;
        e6 = t + run; e7 = t + run; e8 = t + run; e9 = t + run; e10 = t + run; e11 = t + run;
        e12 = t + run; e13 = t + run; e14 = t + run; e15 = t + run; e16 = t + run; e17 = t + run;
        e18 = t + run; e19 = t + run; e20 = t + run; e21 = t + run; e22 = t + run; e23 = t + run;
        e24 = t + run; e25 = t + run; e26 = t + run; e27 = t + run; e28 = t + run; e29 = t + run;
        e30 = t + run; e31 = t + run; e32 = t + run; e33 = t + run; e34 = t + run; e35 = t + run;
        e36 = t + run; e37 = t + run; e38 = t + run; e39 = t + run; e40 = t + run; e41 = t + run;
        e42 = t + run; e43 = t + run; e44 = t + run; e45 = t + run; e46 = t + run; e47 = t + run;
        e48 = t + run; e49 = t + run; e50 = t + run; e51 = t + run; e52 = t + run; e53 = t + run;
        e54 = t + run; e55 = t + run; e56 = t + run; e57 = t + run; e58 = t + run; e59 = t + run;
        e60 = t + run; e61 = t + run; e62 = t + run; e63 = t + run; e64 = t + run; e65 = t + run;
        e66 = t + run; e67 = t + run; e68 = t + run; e69 = t + run; e70 = t + run; e71 = t + run;
        e72 = t + run; e73 = t + run; e74 = t + run; e75 = t + run; e76 = t + run; e77 = t + run;
        e78 = t + run; e79 = t + run; e80 = t + run; e81 = t + run; e82 = t + run; e83 = t + run;
        e84 = t + run; e85 = t + run; e86 = t + run; e87 = t + run; e88 = t + run; e89 = t + run;
        e90 = t + run; e91 = t + run; e92 = t + run; e93 = t + run; e94 = t + run; e95 = t + run;
        e96 = t + run; e97 = t + run; e98 = t + run; e99 = t + run; e100 = t + run; e101 = t + run;
        e102 = t + run; e103 = t + run; e104 = t + run; e105 = t + run; e106 = t + run; e107 = t + run;
        e108 = t + run; e109 = t + run; e110 = t + run; e111 = t + run; e112 = t + run; e113 = t + run;
        e114 = t + run; e115 = t + run; e116 = t + run; e117 = t + run; e118 = t + run; e119 = t + run;
        e120 = t + run; e121 = t + run; e122 = t + run; e123 = t + run; e124 = t + run; e125 = t + run;
        e126 = t + run; e127 = t + run; e128 = t + run; e129 = t + run; e130 = t + run; e131 = t + run;
        e132 = t + run; e133 = t + run; e134 = t + run; e135 = t + run; e136 = t + run; e137 = t + run;
        e138 = t + run; e139 = t + run; e140 = t + run; e141 = t + run; e142 = t + run; e143 = t + run;
        e144 = t + run; e145 = t + run; e146 = t + run; e147 = t + run; e148 = t + run; e149 = t + run;
        e150 = t + run; e151 = t + run; e152 = t + run; e153 = t + run; e154 = t + run; e155 = t + run;
        e156 = t + run; e157 = t + run; e158 = t + run; e159 = t + run; e160 = t + run; e161 = t + run;
        e162 = t + run; e163 = t + run; e164 = t + run; e165 = t + run; e166 = t + run; e167 = t + run;
        e168 = t + run; e169 = t + run; e170 = t + run; e171 = t + run; e172 = t + run; e173 = t + run;
        e174 = t + run; e175 = t + run; e176 = t + run; e177 = t + run; e178 = t + run; e179 = t + run;
        e180 = t + run; e181 = t + run; e182 = t + run; e183 = t + run; e184 = t + run; e185 = t + run;
        e186 = t + run; e187 = t + run; e188 = t + run; e189 = t + run; e190 = t + run; e191 = t + run;
        e192 = t + run; e193 = t + run; e194 = t + run; e195 = t + run; e196 = t + run; e197 = t + run;
        e198 = t + run; e199 = t + run; e200 = t + run; e201 = t + run; e202 = t + run; e203 = t + run;
        e204 = t + run; e205 = t + run; e206 = t + run; e207 = t + run; e208 = t + run; e209 = t + run;
        e210 = t + run; e211 = t + run; e212 = t + run; e213 = t + run; e214 = t + run; e215 = t + run;
        e216 = t + run; e217 = t + run; e218 = t + run; e219 = t + run; e220 = t + run; e221 = t + run;
        e222 = t + run; e223 = t + run; e224 = t + run; e225 = t + run; e226 = t + run; e227 = t + run;
        e228 = t + run; e229 = t + run; e230 = t + run; e231 = t + run; e232 = t + run; e233 = t + run;
        e234 = t + run; e235 = t + run; e236 = t + run; e237 = t + run; e238 = t + run; e239 = t + run;
        e240 = t + run; e241 = t + run; e242 = t + run; e243 = t + run; e244 = t + run; e245 = t + run;
        e246 = t + run; e247 = t + run; e248 = t + run; e249 = t + run; e250 = t + run; e251 = t + run;
        e252 = t + run; e253 = t + run; e254 = t + run; e255 = t + run; e256 = t + run; e257 = t + run;
        e258 = t + run; e259 = t + run; e260 = t + run; e261 = t + run; e262 = t + run; e263 = t + run;
        e264 = t + run; e265 = t + run; e266 = t + run; e267 = t + run; e268 = t + run; e269 = t + run;
        e270 = t + run; e271 = t + run; e272 = t + run; e273 = t + run; e274 = t + run; e275 = t + run;
        e276 = t + run; e277 = t + run; e278 = t + run; e279 = t + run; e280 = t + run; e281 = t + run;
        e282 = t + run; e283 = t + run; e284 = t + run; e285 = t + run; e286 = t + run; e287 = t + run;
        e288 = t + run; e289 = t + run; e290 = t + run; e291 = t + run; e292 = t + run; e293 = t + run;
        e294 = t + run; e295 = t + run; e296 = t + run; e297 = t + run; e298 = t + run; e299 = t + run;
        e300 = t + run; e301 = t + run; e302 = t + run; e303 = t + run; e304 = t + run; e305 = t + run;
        e306 = t + run; e307 = t + run; e308 = t + run; e309 = t + run; e310 = t + run; e311 = t + run;
        e312 = t + run; e313 = t + run; e314 = t + run; e315 = t + run; e316 = t + run; e317 = t + run;
        e318 = t + run; e319 = t + run; e320 = t + run; e321 = t + run; e322 = t + run; e323 = t + run;
        e324 = t + run; e325 = t + run; e326 = t + run; e327 = t + run; e328 = t + run; e329 = t + run;
        e330 = t + run; e331 = t + run; e332 = t + run; e333 = t + run; e334 = t + run; e335 = t + run;
        e336 = t + run; e337 = t + run; e338 = t + run; e339 = t + run; e340 = t + run; e341 = t + run;
        e342 = t + run; e343 = t + run; e344 = t + run; e345 = t + run; e346 = t + run; e347 = t + run;
        e348 = t + run; e349 = t + run; e350 = t + run; e351 = t + run; e352 = t + run; e353 = t + run;
        e354 = t + run; e355 = t + run; e356 = t + run; e357 = t + run; e358 = t + run; e359 = t + run;
        e360 = t + run; e361 = t + run; e362 = t + run; e363 = t + run; e364 = t + run; e365 = t + run;
        e366 = t + run; e367 = t + run; e368 = t + run; e369 = t + run; e370 = t + run; e371 = t + run;
        e372 = t + run; e373 = t + run; e374 = t + run; e375 = t + run; e376 = t + run; e377 = t + run;
        e378 = t + run; e379 = t + run; e380 = t + run; e381 = t + run; e382 = t + run; e383 = t + run;
        e384 = t + run; e385 = t + run; e386 = t + run; e387 = t + run; e388 = t + run; e389 = t + run;
        e390 = t + run; e391 = t + run; e392 = t + run; e393 = t + run; e394 = t + run; e395 = t + run;
        e396 = t + run; e397 = t + run; e398 = t + run; e399 = t + run; e400 = t + run; e401 = t + run;
        e402 = t + run; e403 = t + run; e404 = t + run; e405 = t + run; e406 = t + run; e407 = t + run;
        e408 = t + run; e409 = t + run; e410 = t + run; e411 = t + run; e412 = t + run; e413 = t + run;
        e414 = t + run; e415 = t + run; e416 = t + run; e417 = t + run; e418 = t + run; e419 = t + run;
        e420 = t + run; e421 = t + run; e422 = t + run; e423 = t + run; e424 = t + run; e425 = t + run;
        e426 = t + run; e427 = t + run; e428 = t + run; e429 = t + run; e430 = t + run; e431 = t + run;
        e432 = t + run; e433 = t + run; e434 = t + run; e435 = t + run; e436 = t + run; e437 = t + run;
        e438 = t + run; e439 = t + run; e440 = t + run; e441 = t + run; e442 = t + run; e443 = t + run;
        e444 = t + run; e445 = t + run; e446 = t + run; e447 = t + run; e448 = t + run; e449 = t + run;
        e450 = t + run; e451 = t + run; e452 = t + run; e453 = t + run; e454 = t + run; e455 = t + run;
        e456 = t + run; e457 = t + run; e458 = t + run; e459 = t + run; e460 = t + run; e461 = t + run;
        e462 = t + run; e463 = t + run; e464 = t + run; e465 = t + run; e466 = t + run; e467 = t + run;
        e468 = t + run; e469 = t + run; e470 = t + run; e471 = t + run; e472 = t + run; e473 = t + run;
        e474 = t + run; e475 = t + run; e476 = t + run; e477 = t + run; e478 = t + run; e479 = t + run;
        e480 = t + run; e481 = t + run; e482 = t + run; e483 = t + run; e484 = t + run; e485 = t + run;
        e486 = t + run; e487 = t + run; e488 = t + run; e489 = t + run; e490 = t + run; e491 = t + run;
        e492 = t + run; e493 = t + run; e494 = t + run; e495 = t + run; e496 = t + run; e497 = t + run;
        e498 = t + run; e499 = t + run; e500 = t + run; e501 = t + run; e502 = t + run; e503 = t + run;
        e504 = t + run; e505 = t + run; e506 = t + run; e507 = t + run; e508 = t + run; e509 = t + run;
        e510 = t + run; e511 = t + run; e512 = t + run; e513 = t + run; e514 = t + run; e515 = t + run;
        e516 = t + run; e517 = t + run; e518 = t + run; e519 = t + run; e520 = t + run; e521 = t + run;
        e522 = t + run; e523 = t + run; e524 = t + run; e525 = t + run; e526 = t + run; e527 = t + run;
        e528 = t + run; e529 = t + run; e530 = t + run; e531 = t + run; e532 = t + run; e533 = t + run;
        e534 = t + run; e535 = t + run; e536 = t + run; e537 = t + run; e538 = t + run; e539 = t + run;
        e540 = t + run; e541 = t + run; e542 = t + run; e543 = t + run; e544 = t + run; e545 = t + run;
        e546 = t + run; e547 = t + run; e548 = t + run; e549 = t + run; e550 = t + run; e551 = t + run;
        e552 = t + run; e553 = t + run; e554 = t + run; e555 = t + run; e556 = t + run; e557 = t + run;
        e558 = t + run; e559 = t + run; e560 = t + run; e561 = t + run; e562 = t + run; e563 = t + run;
        e564 = t + run; e565 = t + run; e566 = t + run; e567 = t + run; e568 = t + run; e569 = t + run;
        e570 = t + run; e571 = t + run; e572 = t + run; e573 = t + run; e574 = t + run; e575 = t + run;
        e576 = t + run; e577 = t + run; e578 = t + run; e579 = t + run; e580 = t + run; e581 = t + run;
        e582 = t + run; e583 = t + run; e584 = t + run; e585 = t + run; e586 = t + run; e587 = t + run;
        e588 = t + run; e589 = t + run; e590 = t + run; e591 = t + run; e592 = t + run; e593 = t + run;
        e594 = t + run; e595 = t + run; e596 = t + run; e597 = t + run; e598 = t + run; e599 = t + run;
        e600 = t + run; e601 = t + run; e602 = t + run; e603 = t + run; e604 = t + run; e605 = t + run;
        e606 = t + run; e607 = t + run; e608 = t + run; e609 = t + run; e610 = t + run; e611 = t + run;
        e612 = t + run; e613 = t + run; e614 = t + run; e615 = t + run; e616 = t + run; e617 = t + run;
        e618 = t + run; e619 = t + run; e620 = t + run; e621 = t + run; e622 = t + run; e623 = t + run;
        e624 = t + run; e625 = t + run; e626 = t + run; e627 = t + run; e628 = t + run; e629 = t + run;
        e630 = t + run; e631 = t + run; e632 = t + run; e633 = t + run; e634 = t + run; e635 = t + run;
        e636 = t + run; e637 = t + run; e638 = t + run; e639 = t + run; e640 = t + run; e641 = t + run;
        e642 = t + run; e643 = t + run; e644 = t + run; e645 = t + run; e646 = t + run; e647 = t + run;
        e648 = t + run; e649 = t + run; e650 = t + run; e651 = t + run; e652 = t + run; e653 = t + run;
        e654 = t + run; e655 = t + run; e656 = t + run; e657 = t + run; e658 = t + run; e659 = t + run;
        e660 = t + run; e661 = t + run; e662 = t + run; e663 = t + run; e664 = t + run; e665 = t + run;
        e666 = t + run; e667 = t + run; e668 = t + run; e669 = t + run; e670 = t + run; e671 = t + run;
        e672 = t + run; e673 = t + run; e674 = t + run; e675 = t + run; e676 = t + run; e677 = t + run;
        e678 = t + run; e679 = t + run; e680 = t + run; e681 = t + run; e682 = t + run; e683 = t + run;
        e684 = t + run; e685 = t + run; e686 = t + run; e687 = t + run; e688 = t + run; e689 = t + run;
        e690 = t + run; e691 = t + run; e692 = t + run; e693 = t + run; e694 = t + run; e695 = t + run;
        e696 = t + run; e697 = t + run; e698 = t + run; e699 = t + run; e700 = t + run; e701 = t + run;
        e702 = t + run; e703 = t + run; e704 = t + run; e705 = t + run; e706 = t + run; e707 = t + run;
        e708 = t + run; e709 = t + run; e710 = t + run; e711 = t + run; e712 = t + run; e713 = t + run;
        e714 = t + run; e715 = t + run; e716 = t + run; e717 = t + run; e718 = t + run; e719 = t + run;
        e720 = t + run; e721 = t + run; e722 = t + run; e723 = t + run; e724 = t + run; e725 = t + run;
        e726 = t + run; e727 = t + run; e728 = t + run; e729 = t + run; e730 = t + run; e731 = t + run;
        e732 = t + run; e733 = t + run; e734 = t + run; e735 = t + run; e736 = t + run; e737 = t + run;
        e738 = t + run; e739 = t + run; e740 = t + run; e741 = t + run; e742 = t + run; e743 = t + run;
        e744 = t + run; e745 = t + run; e746 = t + run; e747 = t + run; e748 = t + run; e749 = t + run;
        e750 = t + run; e751 = t + run; e752 = t + run; e753 = t + run; e754 = t + run; e755 = t + run;
        e756 = t + run; e757 = t + run; e758 = t + run; e759 = t + run; e760 = t + run; e761 = t + run;
        e762 = t + run; e763 = t + run; e764 = t + run; e765 = t + run; e766 = t + run; e767 = t + run;
        e768 = t + run; e769 = t + run; e770 = t + run; e771 = t + run; e772 = t + run; e773 = t + run;
        e774 = t + run; e775 = t + run; e776 = t + run; e777 = t + run; e778 = t + run; e779 = t + run;
        e780 = t + run; e781 = t + run; e782 = t + run; e783 = t + run; e784 = t + run; e785 = t + run;
        e786 = t + run; e787 = t + run; e788 = t + run; e789 = t + run; e790 = t + run; e791 = t + run;
        e792 = t + run; e793 = t + run; e794 = t + run; e795 = t + run; e796 = t + run; e797 = t + run;
        e798 = t + run; e799 = t + run;
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a = a =
        0;
#endif
        const Tensor part = s.slice(0, 0, T + 1);
        (void)part;
    }
}
