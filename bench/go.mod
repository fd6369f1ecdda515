module github.com/weirhq/weir/bench

go 1.26.0

replace github.com/weirhq/weir => ../
