"""The machine code of searches around their graphs, in short forms; names in capital letters stand for numbers.

`seek` shares rows out among slots of lanes (`turns`). A slot begins attempts of its row (`issue`), which `advance`
takes a step further, notes the ends of those (`commit`), and takes the next row (`take`): see `searches.py`.
"""

from __future__ import annotations

__all__ = ["SEARCH_CODE"]

SEARCH_CODE = """
declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; numbers of a row to a lane, and back
define internal void @scatter(ptr %lane, ptr %source, i64 %count) nounwind {
entry:
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k.next, %body]
  %left = icmp ult i64 %k, %count
  br i1 %left, label %body, label %done
body:
  %from = getelementptr double, ptr %source, i64 %k
  %x = load double, ptr %from
  %to = getelementptr [LANES x double], ptr %lane, i64 %k
  store double %x, ptr %to
  %k.next = add i64 %k, 1
  br label %loop
done:
  ret void
}
define internal void @gather(ptr %target, ptr %lane, i64 %count) nounwind {
entry:
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k.next, %body]
  %left = icmp ult i64 %k, %count
  br i1 %left, label %body, label %done
body:
  %from = getelementptr [LANES x double], ptr %lane, i64 %k
  %x = load double, ptr %from
  %to = getelementptr double, ptr %target, i64 %k
  store double %x, ptr %to
  %k.next = add i64 %k, 1
  br label %loop
done:
  ret void
}
define internal void @spread(ptr %lanes, ptr %source, i64 %count) nounwind { ; numbers to all lanes
entry:
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k.next, %body]
  %left = icmp ult i64 %k, %count
  br i1 %left, label %body, label %done
body:
  %from = getelementptr double, ptr %source, i64 %k
  %x = load double, ptr %from
  %one = insertelement <LANES x double> poison, double %x, i64 0
  %all = shufflevector <LANES x double> %one, <LANES x double> poison, <LANES x i32> zeroinitializer
  %to = getelementptr [LANES x double], ptr %lanes, i64 %k
  store <LANES x double> %all, ptr %to
  %k.next = add i64 %k, 1
  br label %loop
done:
  ret void
}

define internal void @measure(ptr %words, ptr %m, ptr %slot) nounwind { ; how far the slot's row is from all places
entry:
  %rows = pointer %words W_ROWS
  %row = number %slot S_ROW
  %offset = mul i64 %row, ROW_SIZE
  %data = getelementptr double, ptr %rows, i64 %offset
  %one.row = getelementptr i8, ptr %m, i64 AT_ONE_ROW
  call void @spread(ptr %one.row, ptr %data, i64 ROW_SIZE)
  %work = getelementptr i8, ptr %m, i64 AT_WORK
  %count = number %words W_COUNT
  %distances = pointer %slot S_DISTANCES
  %places = pointer %words W_PLACES
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k.next, %loop]
  %block = getelementptr [LANES x double], ptr %distances, i64 %k
  %ahead = mul i64 %k, PLACE_SIZE
  %place = getelementptr [LANES x double], ptr %places, i64 %ahead
  MEASURE
  %k.next = add i64 %k, 1
  %measured = mul i64 %k.next, LANES
  %left = icmp ult i64 %measured, %count
  br i1 %left, label %loop, label %done
done:
  ret void
}

define internal i64 @pick(ptr %distances, i64 %count) nounwind { ; the nearest start, which is then taken
entry:
  br label %loop
loop: ; the least of every lane, and its block
  %k = phi i64 [0, %entry], [%k.next, %loop]
  %least = phi <LANES x double> [splat (double 0x7FF0000000000000), %entry], [%least.next, %loop]
  %where = phi <LANES x i64> [zeroinitializer, %entry], [%where.next, %loop]
  %block = getelementptr [LANES x double], ptr %distances, i64 %k
  %x = load <LANES x double>, ptr %block
  %less = fcmp olt <LANES x double> %x, %least
  %k.one = insertelement <LANES x i64> poison, i64 %k, i64 0
  %k.all = shufflevector <LANES x i64> %k.one, <LANES x i64> poison, <LANES x i32> zeroinitializer
  %least.next = select <LANES x i1> %less, <LANES x double> %x, <LANES x double> %least
  %where.next = select <LANES x i1> %less, <LANES x i64> %k.all, <LANES x i64> %where
  %k.next = add i64 %k, 1
  %seen = mul i64 %k.next, LANES
  %left = icmp ult i64 %seen, %count
  br i1 %left, label %loop, label %across
across: ; the least of all lanes; of equal ones the first in the pool
  %lane = phi i64 [0, %loop], [%lane.next, %across]
  %best = phi double [0x7FF0000000000000, %loop], [%best.next, %across]
  %place = phi i64 [0, %loop], [%place.next, %across]
  %own = extractelement <LANES x double> %least.next, i64 %lane
  %own.block = extractelement <LANES x i64> %where.next, i64 %lane
  %own.first = mul i64 %own.block, LANES
  %own.place = add i64 %own.first, %lane
  %nearer = fcmp olt double %own, %best
  %same = fcmp oeq double %own, %best
  %earlier = icmp ult i64 %own.place, %place
  %tie = and i1 %same, %earlier
  %better = or i1 %nearer, %tie
  %best.next = select i1 %better, double %own, double %best
  %place.next = select i1 %better, i64 %own.place, i64 %place
  %lane.next = add i64 %lane, 1
  %more = icmp ult i64 %lane.next, LANES
  br i1 %more, label %across, label %done
done:
  %taken = getelementptr double, ptr %distances, i64 %place.next
  store double 0x7FF0000000000000, ptr %taken
  ret i64 %place.next
}

define internal void @issue(ptr %words, ptr %m, ptr %b, ptr %slot, i64 %lane) nounwind { ; begin the row's next attempt
entry:
  %row = number %slot S_ROW
  %ends = pointer %words W_ENDS
  %end = getelementptr [E_COUNT x double], ptr %ends, i64 %row
  %tried.place = getelementptr double, ptr %end, i64 E_RESTARTS
  %tried.real = load double, ptr %tried.place
  %tried = fptosi double %tried.real to i64
  %total = number %words W_TOTAL
  %first = pointer %words W_FIRST
  %has.own = icmp ne ptr %first, null
  %search = pointer %b B_SEARCH
  %state = getelementptr double, ptr %search, i64 %lane
  br label %attempt
attempt: ; those that have ended before are passed over
  %number = number %slot S_ISSUED
  %left = icmp ult i64 %number, %total
  br i1 %left, label %some, label %none
none: ; the lane waits
  %status = getelementptr [LANES x double], ptr %state, i64 2
  store double 2.0, ptr %status
  ret void
some:
  %number.next = add i64 %number, 1
  store i64 %number.next, ptr %number.place
  %is.late = icmp uge i64 %number, LATE
  %turns = number %words W_TURNS
  %turn = urem i64 %number, %turns
  %in.turn = icmp ne i64 %turn, 0
  %is.loose = and i1 %is.late, %in.turn
  %is.first = icmp eq i64 %number, 0
  %is.own = and i1 %is.first, %has.own
  br i1 %is.own, label %own, label %common
own:
  %own.offset = mul i64 %row, Q_SIZE
  %own.start = getelementptr double, ptr %first, i64 %own.offset
  br label %known
common:
  br i1 %is.loose, label %loose, label %pool
loose:
  %anywhere = pointer %words W_ANYWHERE
  %loose.offset = mul i64 %number, Q_SIZE
  %loose.start = getelementptr double, ptr %anywhere, i64 %loose.offset
  br label %known
pool:
  %ready = number %slot S_READY
  %measured = icmp ne i64 %ready, 0
  br i1 %measured, label %choose, label %measure
measure:
  call void @measure(ptr %words, ptr %m, ptr %slot)
  store i64 1, ptr %ready.place
  br label %choose
choose:
  %distances = pointer %slot S_DISTANCES
  %count = number %words W_COUNT
  %place = call i64 @pick(ptr %distances, i64 %count)
  %starts = pointer %words W_STARTS
  %pool.offset = mul i64 %place, Q_SIZE
  %pool.start = getelementptr double, ptr %starts, i64 %pool.offset
  %pool.kind = select i1 %is.late, i64 2, i64 1
  br label %known
known:
  %start = phi ptr [%own.start, %own], [%pool.start, %choose], [%loose.start, %loose]
  %kind = phi i64 [0, %own], [%pool.kind, %choose], [3, %loose]
  %again = icmp ult i64 %number, %tried
  br i1 %again, label %attempt, label %fill
fill:
  %q = pointer %b B_Q
  %q.lane = getelementptr double, ptr %q, i64 %lane
  call void @scatter(ptr %q.lane, ptr %start, i64 Q_SIZE)
  %begins = pointer %words W_BEGINS
  %begin = getelementptr [SEARCH_SIZE x double], ptr %begins, i64 %kind
  call void @scatter(ptr %state, ptr %begin, i64 SEARCH_SIZE)
  %rows = pointer %words W_ROWS
  %offset = mul i64 %row, ROW_SIZE
  %data = getelementptr double, ptr %rows, i64 %offset
  %data.lanes = getelementptr i8, ptr %b, i64 AT_ROWS
  %data.lane = getelementptr double, ptr %data.lanes, i64 %lane
  call void @scatter(ptr %data.lane, ptr %data, i64 ROW_SIZE)
  ret void
}

define internal void @take(ptr %words, ptr %m, ptr %b, i64 %lane) nounwind { ; the next row for the slot of a lane
entry:
  %slots = getelementptr i8, ptr %b, i64 AT_SLOTS
  %slot = getelementptr [8 x i64], ptr %slots, i64 %lane
  %next = number %m T_NEXT
  %end = number %m T_END
  %ring = number %m T_RING
  %left = icmp slt i64 %next, %end
  %row.place = getelementptr i64, ptr %slot, i64 S_ROW
  br i1 %left, label %some, label %none
none:
  store i64 -1, ptr %row.place
  %live = number %m T_LIVE
  %live.less = sub i64 %live, 1
  store i64 %live.less, ptr %live.place
  %own.live = number %b B_LIVE
  %own.less = sub i64 %own.live, 1
  store i64 %own.less, ptr %own.live.place
  ret void
some:
  %following = add i64 %next, 1
  store i64 %following, ptr %next.place
  %list = pointer %m T_LIST
  %listed = icmp ne ptr %list, null
  br i1 %listed, label %look, label %begin
look:
  %entry.row = number %list %next
  br label %begin
begin:
  %row = phi i64 [%next, %some], [%entry.row, %look]
  store i64 %row, ptr %row.place
  %head = number %slot S_HEAD
  store i64 0, ptr %head.place
  %issued = number %slot S_ISSUED
  store i64 0, ptr %issued.place
  %ready = number %slot S_READY
  store i64 0, ptr %ready.place
  br label %loop
loop: ; an attempt for each of its lanes
  %k = phi i64 [0, %begin], [%k.next, %loop]
  %own.lane = add i64 %lane, %k
  call void @issue(ptr %words, ptr %m, ptr %b, ptr %slot, i64 %own.lane)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %ring
  br i1 %more, label %loop, label %done
done:
  ret void
}

define internal i1 @commit(ptr %words, ptr %m, ptr %b, i64 %lane) nounwind { ; note the row's earliest attempt
entry: ; false if it goes on
  %slots = getelementptr i8, ptr %b, i64 AT_SLOTS
  %slot = getelementptr [8 x i64], ptr %slots, i64 %lane
  %row = number %slot S_ROW
  %busy = icmp sge i64 %row, 0
  br i1 %busy, label %look, label %wait
wait:
  ret i1 false
look:
  %head = number %slot S_HEAD
  %own.lane = add i64 %lane, %head
  %search = pointer %b B_SEARCH
  %state = getelementptr double, ptr %search, i64 %own.lane
  %status.place = getelementptr [LANES x double], ptr %state, i64 2
  %status = load double, ptr %status.place
  %going = fcmp oeq double %status, 0.0
  br i1 %going, label %wait, label %ended
ended:
  %squared = load double, ptr %state
  %steps.place = getelementptr [LANES x double], ptr %state, i64 1
  %steps = load double, ptr %steps.place
  %ends = pointer %words W_ENDS
  %end = getelementptr [E_COUNT x double], ptr %ends, i64 %row
  %iterations.place = getelementptr double, ptr %end, i64 E_ITERATIONS
  %found.place = getelementptr double, ptr %end, i64 E_FOUND
  %tried.place = getelementptr double, ptr %end, i64 E_RESTARTS
  %iterations = load double, ptr %iterations.place
  %iterations.more = fadd double %iterations, %steps
  store double %iterations.more, ptr %iterations.place
  %best = load double, ptr %end
  %found = fcmp oeq double %status, 1.0
  %less = fcmp olt double %squared, %best
  %better = or i1 %found, %less
  br i1 %better, label %keep, label %count
keep:
  store double %squared, ptr %end
  %results = pointer %words W_Q
  %q.offset = mul i64 %row, Q_SIZE
  %result = getelementptr double, ptr %results, i64 %q.offset
  %q = pointer %b B_Q
  %q.lane = getelementptr double, ptr %q, i64 %own.lane
  call void @gather(ptr %result, ptr %q.lane, i64 Q_SIZE)
  br label %count
count:
  br i1 %found, label %success, label %failure
success:
  store double 1.0, ptr %found.place
  br label %finish
failure:
  %tried = load double, ptr %tried.place
  %tried.more = fadd double %tried, 1.0
  %total = number %words W_TOTAL
  %total.real = sitofp i64 %total to double
  %more = fcmp olt double %tried.more, %total.real
  br i1 %more, label %next, label %finish
finish:
  call void @take(ptr %words, ptr %m, ptr %b, i64 %lane)
  ret i1 true
next:
  store double %tried.more, ptr %tried.place
  call void @issue(ptr %words, ptr %m, ptr %b, ptr %slot, i64 %own.lane)
  %ring = number %m T_RING
  %mask = sub i64 %ring, 1
  %head.more = add i64 %head, 1
  %head.next = and i64 %head.more, %mask
  store i64 %head.next, ptr %head.place
  ret i1 true
}

define internal void @advance(ptr %words, ptr %m, ptr %b) nounwind { ; a step of all lanes of a block
entry:
  %q = pointer %b B_Q
  %next.q = pointer %b B_NEXT_Q
  %search = pointer %b B_SEARCH
  %next.search = pointer %b B_NEXT_SEARCH
  %data = getelementptr i8, ptr %b, i64 AT_ROWS
  %lower = getelementptr i8, ptr %m, i64 AT_LOWER
  %upper = getelementptr i8, ptr %m, i64 AT_UPPER
  %tolerance = getelementptr i8, ptr %m, i64 AT_TOLERANCE
  %work = getelementptr i8, ptr %m, i64 AT_WORK
  STEP
  store ptr %next.q, ptr %q.place
  store ptr %q, ptr %next.q.place
  store ptr %next.search, ptr %search.place
  store ptr %search, ptr %next.search.place
  %ring = number %m T_RING
  br label %loop
loop: ; slots whose earliest attempt has ended
  %lane = phi i64 [0, %entry], [%lane, %again], [%lane.next, %next]
  %left = icmp ult i64 %lane, LANES
  br i1 %left, label %again, label %done
again:
  %noted = call i1 @commit(ptr %words, ptr %m, ptr %b, i64 %lane)
  br i1 %noted, label %loop, label %next
next:
  %lane.next = add i64 %lane, %ring
  br label %loop
done:
  ret void
}

define internal void @turns(ptr %words, ptr %m, i64 %least) nounwind { ; until no more rows than `least` are left
entry:
  %ring = number %m T_RING
  %slots = udiv i64 LANES, %ring
  %all = mul i64 %slots, BLOCKS
  %live.first = number %m T_LIVE
  store i64 %all, ptr %live.first.place
  br label %fill
fill:
  %f = phi i64 [0, %entry], [%f.next, %filled]
  %f.offset = mul i64 %f, BLOCK_BYTES
  %f.at = add i64 %f.offset, AT_BLOCKS
  %f.block = getelementptr i8, ptr %m, i64 %f.at
  %own = number %f.block B_LIVE
  store i64 %slots, ptr %own.place
  br label %fill.slot
fill.slot:
  %lane = phi i64 [0, %fill], [%lane.next, %fill.slot]
  call void @take(ptr %words, ptr %m, ptr %f.block, i64 %lane)
  %lane.next = add i64 %lane, %ring
  %lane.left = icmp ult i64 %lane.next, LANES
  br i1 %lane.left, label %fill.slot, label %filled
filled:
  %f.next = add i64 %f, 1
  %f.left = icmp ult i64 %f.next, BLOCKS
  br i1 %f.left, label %fill, label %round
round:
  %live = number %m T_LIVE
  %enough = icmp sgt i64 %live, %least
  br i1 %enough, label %block, label %done
block:
  %k = phi i64 [0, %round], [%k.next, %next]
  %offset = mul i64 %k, BLOCK_BYTES
  %at = add i64 %offset, AT_BLOCKS
  %b = getelementptr i8, ptr %m, i64 %at
  %b.live = number %b B_LIVE
  %busy = icmp sgt i64 %b.live, 0
  br i1 %busy, label %work, label %next
work:
  call void @advance(ptr %words, ptr %m, ptr %b)
  br label %next
next:
  %k.next = add i64 %k, 1
  %k.left = icmp ult i64 %k.next, BLOCKS
  br i1 %k.left, label %block, label %round
done:
  ret void
}

define void @seek(ptr %words, i64 %begin, i64 %end) nounwind {
entry: ; memory: one part of fixed size, then each lane's distances
  %count = number %words W_COUNT
  %count.over = add i64 %count, LANES_LESS_ONE
  %count.blocks = udiv i64 %count.over, LANES
  %slot.bytes = mul i64 %count.blocks, VECTOR_BYTES
  %distances.bytes = mul i64 %slot.bytes, ALL_LANES
  %size = add i64 %distances.bytes, SIZE_AND_LINE
  %heap = call ptr @malloc(i64 %size)
  %nothing = icmp eq ptr %heap, null
  br i1 %nothing, label %lost, label %found
lost:
  %lost.word = getelementptr i64, ptr %words, i64 W_LOST
  store i64 1, ptr %lost.word
  ret void
found:
  %above = getelementptr i8, ptr %heap, i64 LINE_LESS_ONE
  %m = call ptr @llvm.ptrmask.p0.i64(ptr %above, i64 MINUS_LINE)
  call void @llvm.memset.p0.i64(ptr %m, i8 0, i64 FIXED_BYTES, i1 false)
  %lower = getelementptr i8, ptr %m, i64 AT_LOWER
  %lower.source = pointer %words W_LOWER
  call void @spread(ptr %lower, ptr %lower.source, i64 Q_SIZE)
  %upper = getelementptr i8, ptr %m, i64 AT_UPPER
  %upper.source = pointer %words W_UPPER
  call void @spread(ptr %upper, ptr %upper.source, i64 Q_SIZE)
  %tolerance = getelementptr i8, ptr %m, i64 AT_TOLERANCE
  %tolerance.source = pointer %words W_TOLERANCE
  call void @spread(ptr %tolerance, ptr %tolerance.source, i64 1)
  %work = getelementptr i8, ptr %m, i64 AT_WORK
  br label %blocks
blocks: ; buffers of each block
  %k = phi i64 [0, %found], [%k.next, %blocks.next]
  %offset = mul i64 %k, BLOCK_BYTES
  %at = add i64 %offset, AT_BLOCKS
  %b = getelementptr i8, ptr %m, i64 %at
  %q = getelementptr i8, ptr %b, i64 AT_Q
  %next.q = getelementptr i8, ptr %b, i64 AT_NEXT_Q
  %search = getelementptr i8, ptr %b, i64 AT_SEARCH
  %next.search = getelementptr i8, ptr %b, i64 AT_NEXT_SEARCH
  %data = getelementptr i8, ptr %b, i64 AT_ROWS
  PREPARE
  %b.q = getelementptr ptr, ptr %b, i64 B_Q
  store ptr %q, ptr %b.q
  %b.next.q = getelementptr ptr, ptr %b, i64 B_NEXT_Q
  store ptr %next.q, ptr %b.next.q
  %b.search = getelementptr ptr, ptr %b, i64 B_SEARCH
  store ptr %search, ptr %b.search
  %b.next.search = getelementptr ptr, ptr %b, i64 B_NEXT_SEARCH
  store ptr %next.search, ptr %b.next.search
  %slots = getelementptr i8, ptr %b, i64 AT_SLOTS
  br label %slots.loop
slots.loop:
  %s = phi i64 [0, %blocks], [%s.next, %slots.loop]
  %s.first = mul i64 %k, LANES
  %s.number = add i64 %s.first, %s
  %s.offset = mul i64 %s.number, %slot.bytes
  %s.at = add i64 %s.offset, FIXED_BYTES
  %s.distances = getelementptr i8, ptr %m, i64 %s.at
  %slot = getelementptr [8 x i64], ptr %slots, i64 %s
  %slot.distances = getelementptr ptr, ptr %slot, i64 S_DISTANCES
  store ptr %s.distances, ptr %slot.distances
  %s.next = add i64 %s, 1
  %s.left = icmp ult i64 %s.next, LANES
  br i1 %s.left, label %slots.loop, label %blocks.next
blocks.next:
  %k.next = add i64 %k, 1
  %k.left = icmp ult i64 %k.next, BLOCKS
  br i1 %k.left, label %blocks, label %passes
passes:
  %start = number %words W_START
  %stop = number %words W_STOP
  %unit = number %words W_UNIT
  %begin.unit = mul i64 %begin, %unit
  %end.unit = mul i64 %end, %unit
  %from = add i64 %begin.unit, %start
  %to.unit = add i64 %end.unit, %start
  %over = icmp sgt i64 %to.unit, %stop
  %to = select i1 %over, i64 %stop, i64 %to.unit
  %next = number %m T_NEXT
  store i64 %from, ptr %next.place
  %last = number %m T_END
  store i64 %to, ptr %last.place
  %all = sub i64 %to, %from
  %most = number %words W_MOST
  br label %pass
pass:
  %rows = phi i64 [%all, %passes], [%listed, %again]
  %any = icmp sgt i64 %rows, 0
  br i1 %any, label %widen, label %finished
widen: ; as many lanes for a row as one block has for all of them
  %ring = phi i64 [1, %pass], [%twice, %widen]
  %twice = mul i64 %ring, 2
  %needed = mul i64 %twice, %rows
  %fits = icmp ule i64 %needed, LANES
  %allowed = icmp ule i64 %twice, %most
  %wider = and i1 %fits, %allowed
  br i1 %wider, label %widen, label %run
run: ; until four times as many lanes can have each row that is left
  %ring.place = getelementptr i64, ptr %m, i64 T_RING
  store i64 %ring, ptr %ring.place
  %four = mul i64 %ring, 4
  %fewer = udiv i64 LANES, %four
  %least = select i1 %allowed, i64 %fewer, i64 0
  call void @turns(ptr %words, ptr %m, i64 %least)
  %list = getelementptr i8, ptr %m, i64 AT_LIST
  br label %collect
collect: ; the rows that are left
  %c = phi i64 [0, %run], [%c.next, %collect.next]
  %listed.so.far = phi i64 [0, %run], [%listed.blocks, %collect.next]
  %c.offset = mul i64 %c, BLOCK_BYTES
  %c.at = add i64 %c.offset, AT_BLOCKS
  %c.block = getelementptr i8, ptr %m, i64 %c.at
  %c.slots = getelementptr i8, ptr %c.block, i64 AT_SLOTS
  br label %collect.slot
collect.slot:
  %lane = phi i64 [0, %collect], [%lane.next, %collect.slot]
  %found.so.far = phi i64 [%listed.so.far, %collect], [%listed.blocks, %collect.slot]
  %c.slot = getelementptr [8 x i64], ptr %c.slots, i64 %lane
  %row = number %c.slot S_ROW
  %place.in.list = getelementptr i64, ptr %list, i64 %found.so.far
  store i64 %row, ptr %place.in.list
  %is.left = icmp sge i64 %row, 0
  %one.more = zext i1 %is.left to i64
  %listed.blocks = add i64 %found.so.far, %one.more
  %lane.next = add i64 %lane, %ring
  %lane.left = icmp ult i64 %lane.next, LANES
  br i1 %lane.left, label %collect.slot, label %collect.next
collect.next:
  %c.next = add i64 %c, 1
  %c.left = icmp ult i64 %c.next, BLOCKS
  br i1 %c.left, label %collect, label %again
again:
  %listed = phi i64 [%listed.blocks, %collect.next]
  store i64 0, ptr %next.place
  store i64 %listed, ptr %last.place
  %list.word = getelementptr ptr, ptr %m, i64 T_LIST
  store ptr %list, ptr %list.word
  br label %pass
finished:
  call void @free(ptr %heap)
  ret void
}
"""
