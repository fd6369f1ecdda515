package redisstore
import ("testing";"context";"math/rand/v2";"time";"github.com/redis/rueidis";"github.com/weirhq/weir";"github.com/google/go-cmp/cmp")
func TestQuick(t *testing.T){
 c,err:=rueidis.NewClient(ClientOptions("127.0.0.1:7399")); if err!=nil{t.Fatal(err)}
 defer c.Close()
 now:=time.Unix(1700000000,0)
 clock:=func()time.Time{return now}
 s,_:=New(c,WithClock(clock)); m:=weir.NewMemoryStore(weir.MemoryOptions{Clock:clock}); defer m.Close()
 ctx:=context.Background()
 c.Do(ctx,c.B().Flushall().Build())
 rnd:=rand.New(rand.NewPCG(1,2))
 yes,gave:=0,0
 var hist []weir.Charge; var ids []weir.ID
 for round:=0;round<60000;round++{
  var checks []weir.Check
  g:=&weir.Group{Charge:weir.Charging(rnd.IntN(3)),Shadow:rnd.IntN(4)==0}
  used:=map[weir.Key]bool{}
  for n:=rnd.IntN(4)+1;n>0;n--{
   if rnd.IntN(2)==0{g=&weir.Group{Charge:weir.Charging(rnd.IntN(3)),Shadow:rnd.IntN(4)==0}}
   a:=weir.Algorithms()[rnd.IntN(5)]
   lims:=[]weir.Rate{weir.PerSecond(10),weir.Per(7,13*time.Second),weir.PerMinute(11),weir.PerDay(999983),weir.Per(3,time.Millisecond),weir.PerMinute(0)}
   l,err:=weir.NewLimit(lims[rnd.IntN(6)],weir.WithAlgorithm(a)); if err!=nil{t.Fatal(err)}
   k:=weir.Key{"l",a.String(),string(rune('a'+rnd.IntN(3)))}
   if used[k]{continue}; used[k]=true
   checks=append(checks,weir.Check{Key:k,Limit:l,Cost:int64(rnd.IntN(5)*rnd.IntN(5)),Group:g,Peek:rnd.IntN(6)==0})
  }
  r1:=make([]weir.Result,len(checks));r2:=make([]weir.Result,len(checks))
  if err:=s.Take(ctx,checks,r1);err!=nil{t.Fatal(err)}
  if err:=m.Take(ctx,checks,r2);err!=nil{t.Fatal(err)}
  if d:=cmp.Diff(r2,r1);d!=""{for _,x:=range checks{t.Log(x.Key,x.Limit,x.Cost,*x.Group,x.Peek)}; t.Fatal(round,d)}
  for i,r:=range r1{if r.Charged{yes++; if rnd.IntN(8)==0{hist=append(hist,weir.Charged(checks[i],r)); ids=append(ids,weir.NewID())}}}
  if len(hist)>0&&rnd.IntN(6)==0{ j:=rnd.IntN(len(hist)); g1,err:=s.Refund(ctx,ids[j],hist[j:j+1]); g2,_:=m.Refund(ctx,ids[j],hist[j:j+1]); if err!=nil||g1!=g2{t.Fatal(round,g1,g2,err,hist[j],hist[j].Limit)}; if g1{gave++}; if len(hist)>5{hist=hist[1:];ids=ids[1:]}}

  switch rnd.IntN(4){case 0:now=now.Add(time.Duration(rnd.IntN(1000))*time.Microsecond);case 1:now=now.Add(time.Duration(rnd.IntN(20000))*time.Millisecond);case 2: if w:=r1[0].NextAfter;w>0&&w<time.Hour{now=now.Add(w)}}
 }
 t.Log("charged",yes,gave)
}
